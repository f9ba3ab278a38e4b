"""Each law on a result by hand that breaks this law and no other."""

from pathlib import Path

import attrs
import pytest

from allotment.kernel.log import SHARE_UNIT
from allotment.model.codes import EndCode
from allotment.model.policy import Key, Licence, Match, Partition, Policy, Quotas, Window
from allotment.results.laws import ALWAYS, WITH_CONTRACTS, WITH_QUOTAS, check, laws_of
from allotment.results.laws.contracts import every_state_has_its_decision
from allotment.results.laws.facts import gather
from allotment.results.result import Result
from allotment.units import DAY, HOUR
from tests.results.made import FIFO, INTERRUPTIBLE, PROTECTED, UNALLOCATED, Made, a_run


def broken(result: Result) -> set[str]:
    """The names of the laws that do not hold."""
    facts, missing = gather(result.scenario, result.horizon, result.tables)
    assert missing == []
    return {law.__name__ for law in laws_of(result.scenario.policy) if law(facts)}


def changed(result: Result, table: str, row: int, **values: object) -> Result:
    """The result with some values of one row replaced."""
    frame = getattr(result, table).copy()
    for column, value in values.items():
        frame.loc[row, column] = value
    return attrs.evolve(result, **{table: frame})


def shifted(result: Result, table: str, row: int, **seconds: float) -> Result:
    """The result with GPU-seconds added to some columns of one row."""
    frame = getattr(result, table)
    return changed(result, table, row, **{name: frame.loc[row, name] + more / HOUR for name, more in seconds.items()})


def plain(policy=FIFO):
    """A run without contracts, of one slice in two segments."""
    made = Made(policy=policy)
    job = made.job(work=3000)
    made.slice(job, 0, 3000, (PROTECTED, 0), (INTERRUPTIBLE, 1000))
    return made


def only(result: Result, law: str, number: int, *words: str) -> None:
    assert broken(result) == {law}
    found = check(result)
    assert {violation.law for violation in found} == {number}
    for word in words:
        assert word in found[0].text


@pytest.fixture(scope="module")
def result() -> Result:
    return a_run().result()


def test_all_laws_hold_for_a_run_that_keeps_them(result):
    assert check(result) == ()
    assert check(plain().result()) == ()
    assert check(Made().result()) == ()


def test_laws_of_contracts_are_not_asked_of_a_policy_without_them():
    made = plain()
    made.slices[0].states = ((UNALLOCATED, 0), (PROTECTED, 1000))
    assert check(made.result()) == ()


# -- law 1 ------------------------------------------------------------------------------------------------------------


def test_a_node_with_more_gpus_in_use_than_it_has_is_found():
    made = Made()
    made.slice(made.job(gpus=5, work=600, leaf="robots"), 100, 700, nodes=(1,))
    made.slice(made.job(gpus=4, work=600, leaf="speech"), 699, 1299, nodes=(1,))
    only(made.result(), "no_node_over_its_gpus", 1, "node 1 runs 9 GPUs of its 8 from 699 s on", "slice 1")


def test_what_starts_when_another_ends_is_no_clash():
    made = Made()
    made.slice(made.job(gpus=5, work=600, leaf="robots"), 100, 700)
    made.slice(made.job(gpus=4, work=600, leaf="speech"), 700, 1300)
    assert check(made.result()) == ()


def test_a_gang_in_pieces_is_found(result):
    torn = attrs.evolve(result, placements=result.placements.drop(1).reset_index(drop=True))
    only(torn, "gangs_whole", 1, "is placed on 1 nodes and says 2; its job needs 2")
    less = changed(result, "jobs", 0, gpus=20)
    only(less, "gangs_whole", 1, "takes 16 GPUs, not 24, for the 20 it asks for")


def test_a_gang_twice_on_one_node_is_found():
    made = Made()
    made.slice(made.job(gpus=16, work=600, min_runtime=60), 100, 700, (UNALLOCATED, 100), nodes=(1, 1))
    assert broken(made.result()) == {"gangs_whole", "no_node_over_its_gpus"}
    assert "slice 0 is on node 1 twice" in {violation.text for violation in check(made.result())}


def test_a_job_that_runs_twice_at_once_is_found():
    made = Made()
    job = made.job(work=3000)
    made.slice(job, 0, 1200, (UNALLOCATED, 0), ended=EndCode.DRAINED)
    made.slice(job, 600, 2400, (UNALLOCATED, 600), nodes=(1,))
    only(made.result(), "no_job_twice_at_once", 1, "job 0 starts at 600 s while its slice 0 runs until 1200 s")


def test_slices_and_segments_of_zero_seconds_are_found():
    made = Made(policy=FIFO)
    job = made.job(work=600)
    made.slice(job, 50, 50, ended=EndCode.PREEMPTED)
    made.slice(job, 80, 680)
    only(made.result(), "nothing_lasts_zero_seconds", 1, "lasts from 50 s to 50 s")
    assert {violation.table for violation in check(made.result())} == {"slices", "segments"}


def test_rows_that_point_nowhere_are_found_first(result):
    for table, row, column, value, text in (
        ("slices", 2, "job", 7, "job 7 is not in the table of jobs"),
        ("slices", 2, "slice", 3, "slice 3 is not in order"),
        ("segments", 4, "slice", 7, "slice 7 is not in the table of slices"),
        ("segments", 4, "slice", -1, "slice -1 is not in the table of slices"),
        ("placements", 4, "node", 2, "node 2 is not among the 2 nodes"),
        ("decisions", 1, "slice", 99, "slice 99 is not in the table of slices"),
        ("jobs", 1, "job", 0, "job 0 is not in order"),
    ):
        found = check(changed(result, table, row, **{column: value}))
        assert text in {violation.text for violation in found}
        assert {violation.law for violation in found} == {1}


# -- law 2 ------------------------------------------------------------------------------------------------------------


def test_segments_with_a_gap_between_them_are_found():
    result = plain().result()
    only(
        changed(result, "segments", 1, begin=1010, end=3010),
        "segments_tile_their_slice",
        2,
        "begins at 1010 s, not at 1000 s",
    )


def test_a_slice_that_outlasts_its_segments_is_found():
    result = plain().result()
    cut = changed(shifted(result, "usage", 1, allocated=-9, delivered=-9), "segments", 1, end=2991)
    found = check(cut)
    assert "is the last of slice 0 and ends at 2991 s, not at 3000 s" in {violation.text for violation in found}
    without = attrs.evolve(result, segments=result.segments.iloc[:0])
    assert "has no segment" in {violation.text for violation in check(without)}


def test_unallocated_time_that_was_charged_is_found(result):
    row = 0  # vision/drones in the first hour
    charged = shifted(result, "usage", row, allocated=60, delivered=60, unallocated=-60)
    only(charged, "ledger_sums_to_usage", 2, "allocated of 'vision/drones' is 60 GPU-s; its rows sum to 0 GPU-s")


def test_an_inner_node_that_is_not_the_sum_of_its_leaves_is_found(result):
    only(shifted(result, "usage", 4, protected=-1), "ledger_sums_to_usage", 2, "protected of 'vision'")


def test_delivered_time_that_was_not_allocated_is_found(result):
    only(shifted(result, "usage", 1, delivered=1), "ledger_sums_to_usage", 2, "delivered is 32001 GPU-s")


@pytest.mark.parametrize("column", ["demand", "demand_too_large", "demand_free"])
def test_demand_that_nobody_had_is_found(result, column):
    only(shifted(result, "usage", 13, **{column: 1}), "demand_sums_to_usage", 2, column, "speech")


@pytest.mark.parametrize("column", ["owed", "entitlement"])
def test_a_hundred_millionth_of_a_gpu_second_owed_too_much_is_found(result, column):
    only(shifted(result, "usage", 9, **{column: 1 / SHARE_UNIT}), "usage_has_what_was_owed", 2, column, "'vision'")


def test_a_cluster_that_is_not_the_sum_of_its_leaves_is_found(result):
    only(shifted(result, "cluster", 1, protected=1), "usage_sums_to_cluster", 2, "the root in `usage`")


def test_a_second_that_is_nowhere_is_found(result):
    lost = shifted(result, "cluster", 2, idle_no_demand=-1)
    only(lost, "all_time_is_accounted_for", 2, "57599 GPU-s of 57600 GPU-s")
    assert check(lost)[-1].row is None
    assert "172799 GPU-s in all, capacity x time is 172800 GPU-s" in check(lost)[-1].text


def test_time_that_is_less_than_nothing_is_found(result):
    moved = shifted(result, "cluster", 2, idle_held=-1, idle_fragment=1)
    only(moved, "all_time_is_accounted_for", 2, "a part of the hour is negative")


def test_capacity_that_is_not_that_of_the_steps_is_found(result):
    only(shifted(result, "cluster", 1, draining=8), "capacity_sums_to_cluster", 2, "draining is 4808 GPU-s")
    only(changed(result, "capacity", 1, draining=0), "capacity_sums_to_cluster", 2, "draining")
    assert "8 healthy and 7 down are not all 16 GPUs" in check(changed(result, "capacity", 2, down=7))[0].text


# -- law 3 ------------------------------------------------------------------------------------------------------------


def stopped_at(end, ended, **fields):
    made = Made()
    job = made.job(work=3000, min_runtime=1200, **fields)
    made.slice(job, 0, end, (PROTECTED, 0), ended=ended)
    return made.result()


@pytest.mark.parametrize("ended", [EndCode.PREEMPTED, EndCode.DRAINED])
def test_a_protected_slice_that_had_to_yield_is_found(ended):
    text = f"slice 0 is protected until 1200 s and {ended.name.lower()} at 1199 s"
    only(stopped_at(1199, ended), "protection_is_kept", 3, text)


@pytest.mark.parametrize("ended", [EndCode.PREEMPTED, EndCode.DRAINED])
def test_a_slice_may_yield_in_the_second_in_which_its_contract_ends(ended):
    assert check(stopped_at(1200, ended)) == ()


@pytest.mark.parametrize("ended", [EndCode.FAILED, EndCode.URGENT_REPAIR])
def test_a_protected_slice_may_end_by_failure_and_urgent_repair(ended):
    assert check(stopped_at(1000, ended)) == ()


def test_a_protected_slice_may_end_by_finish_and_cancel():
    made = Made()
    made.slice(made.job(work=500, min_runtime=1200), 0, 500)
    made.slice(made.job(work=900, min_runtime=1200, cancelled=700), 600, 700, ended=EndCode.CANCELLED)
    assert check(made.result()) == ()


def test_protection_that_lasts_too_long_or_ends_too_early_is_found():
    for end, text in ((1300, "protected for 1300 s, its job asked for 1200 s"), (1100, "after 1100 s of 1200 s")):
        made = Made()
        made.slice(made.job(work=2000, min_runtime=1200), 0, 2000, (PROTECTED, 0), (INTERRUPTIBLE, end))
        only(made.result(), "protection_is_kept", 3, text)


def taken(after, claimant, **settings):
    """A run under quotas in which a slice of robots is displaced."""
    partition = Partition(match=Match.ALL, keys=(Key.FAIR_GPUS, Key.AGE), licence=Licence.RECLAIM)
    quotas = Quotas(preempt_min_runtime=600, reclaim_min_runtime=1200, **settings)
    made = Made(policy=Policy(name="quotas", quotas=quotas, partitions=(partition,)))
    victim, other = made.job(leaf="robots", work=3000), made.job(leaf=claimant, work=100, submit=after)
    made.slice(victim, 0, after, (PROTECTED, 0), ended=EndCode.PREEMPTED, for_job=other)
    made.slice(other, after, after + 100)
    return made.result()


@pytest.mark.parametrize(("claimant", "spared"), [("robots", 600), ("speech", 1200), ("drones", 1200)])
def test_a_slice_that_is_taken_before_its_minimum_runtime_is_found(claimant, spared):
    text = f"is displaced for job 1 after {spared - 1} s of {spared} s"
    only(taken(spared - 1, claimant, immune_within_quota=False), "minimum_runtimes_are_kept", 3, text)
    assert check(taken(spared, claimant, immune_within_quota=False)) == ()


# -- law 4 ------------------------------------------------------------------------------------------------------------


def without(result: Result, row: int) -> Result:
    return attrs.evolve(result, decisions=result.decisions.drop(row).reset_index(drop=True))


@pytest.mark.parametrize("decision", ["start", "start_unallocated", "promote", "demote"])
def test_a_state_that_nobody_decided_is_found(result, decision):
    row = result.decisions.index[result.decisions["decision"] == decision][0]
    only(without(result, row), "every_state_has_its_decision", 4, f"with no decision '{decision}' then")


def test_work_that_is_charged_without_ever_having_been_funded_is_found():
    made = Made()
    made.slice(made.job(work=600, min_runtime=0), 0, 600, (INTERRUPTIBLE, 0))
    only(made.result(), "every_state_has_its_decision", 4, "turns interruptible at 0 s after nothing")
    made = Made()
    made.slice(made.job(work=600, min_runtime=60), 0, 600, (UNALLOCATED, 0), (INTERRUPTIBLE, 300))
    only(made.result(), "every_state_has_its_decision", 4, "turns interruptible at 300 s after unallocated")


def test_a_slice_may_turn_unallocated_in_the_second_in_which_its_contract_ends():
    made = Made()
    made.slice(made.job(work=600, min_runtime=60), 0, 600, (PROTECTED, 0), (INTERRUPTIBLE, 60), (UNALLOCATED, 300))
    result = made.result()
    segments = result.segments.drop(1).reset_index(drop=True)
    segments.loc[1, "begin"] = 60
    decisions = result.decisions.assign(time=[0, 60])
    facts, _ = gather(result.scenario, result.horizon, result.tables | {"segments": segments, "decisions": decisions})
    assert [law.__name__ for law in WITH_CONTRACTS if law(facts)] == []


def test_a_slice_may_be_demoted_and_promoted_again_in_one_pass():
    made = Made()
    states = (PROTECTED, 0), (INTERRUPTIBLE, 60), (UNALLOCATED, 300), (PROTECTED, 301), (INTERRUPTIBLE, 361)
    made.slice(made.job(work=600, min_runtime=60), 0, 600, *states)
    result = made.result()
    segments = result.segments.drop(2).reset_index(drop=True)
    segments.loc[1, "end"] = 301
    decisions = result.decisions.copy()
    assert decisions["decision"].tolist() == ["start", "demote", "promote"]
    decisions.loc[1, "time"] = 301
    tables = result.tables | {"segments": segments, "decisions": decisions}
    law = every_state_has_its_decision
    assert law(gather(result.scenario, result.horizon, tables)[0]) == []
    without_it = tables | {"decisions": decisions.drop(1).reset_index(drop=True)}
    assert "with no decision 'demote' then" in law(gather(result.scenario, result.horizon, without_it)[0])[0].text


def test_a_claim_that_is_not_what_the_job_asks_is_found(result):
    found = shifted(result, "decisions", 1, claim=1)
    only(
        found, "claims_are_what_jobs_ask", 4, "claims 601 GPU-s; GPUs taken x minimum runtime of its job are 600 GPU-s"
    )


def test_a_claim_that_a_stranger_decided_is_found(result):
    speech = 0.3 * 16 * 24
    strange = changed(result, "decisions", 0, level="speech", entitled=speech, headroom=speech)
    only(strange, "claims_are_what_jobs_ask", 4, "'speech' decided, which is no level between 'vision/robots'")


def claiming(min_runtime):
    made = Made()
    made.slice(made.job(leaf="speech", gpus=16, work=600, min_runtime=min_runtime), 30, 630, nodes=(0, 1))
    return made.result()


def test_a_claim_above_the_headroom_is_found():
    entitled = int(0.3 * 16 * DAY)
    only(claiming(entitled // 16 + 1), "claims_fit_in_the_headroom", 4, f"with a headroom of {entitled} GPU-s")


def test_only_short_claims_may_use_the_reserve():
    free = int(0.3 * 16 * DAY * 0.995)
    assert check(claiming(free // 16)) == ()
    only(claiming(free // 16 + 1), "claims_fit_in_the_headroom", 4, "of which 2073 GPU-s are in reserve")
    made = Made()
    long = made.job(leaf="speech", gpus=16, work=600, min_runtime=free // 16)
    short = made.job(leaf="speech", gpus=2, work=60, min_runtime=900)
    made.slice(long, 30, 630, nodes=(0, 1))
    result = made.result()
    made.slice(short, 660, 720, (PROTECTED, 660))
    assert check(result) == check(made.result()) == ()


def test_headroom_that_is_not_the_rest_of_the_entitlement_is_found(result):
    only(shifted(result, "decisions", 4, headroom=-1), "claims_fit_in_the_headroom", 4, "not entitled - used")


def test_use_that_the_ledger_does_not_have_is_found(result):
    wrong = shifted(result, "decisions", 4, used=1, headroom=-1)
    only(
        wrong, "the_log_says_truly_what_was_used", 4, "'speech' had used 501 GPU-s by the log, 500 GPU-s by the ledger"
    )


def test_an_entitlement_that_nobody_had_is_found(result):
    wrong = shifted(result, "decisions", 10, entitled=1, headroom=1)
    only(
        wrong, "the_log_says_truly_what_was_used", 4, "'vision/drones' was entitled to 169801 GPU-s by the log, 169800"
    )


def test_decayed_use_is_taken_on_trust(result):
    window = Window(half_life=DAY)
    scenario = attrs.evolve(result.scenario, policy=attrs.evolve(result.scenario.policy, window=window))
    wrong = shifted(attrs.evolve(result, scenario=scenario), "decisions", 4, used=1, headroom=-1)
    assert check(wrong) == ()


def one_pass():
    """Two claims of one leaf in one pass: the second is judged with the first one charged."""
    made = Made()
    for node in (0, 1):
        made.slice(made.job(leaf="speech", gpus=8, work=900, min_runtime=1200), 30, 930, nodes=(node,))
    return made.result()


def test_claims_of_one_pass_are_charged_one_after_the_other():
    result = one_pass()
    assert result.decisions["used"].tolist() == [0, 8 * 1200 / HOUR]
    assert check(result) == ()
    again = shifted(result, "decisions", 1, used=-8 * 1200, headroom=8 * 1200)
    only(again, "the_log_says_truly_what_was_used", 4, "had used 0 GPU-s by the log, 9600 GPU-s by the ledger")


def holding(until_start):
    """A gang holds its nodes from 30 s on, while small work of its leaf starts; then it starts, or gives up."""
    made = Made()
    first = made.job(leaf="speech", gpus=8, work=600, min_runtime=600)
    made.slice(first, 0, 600)
    gang = made.job(leaf="speech", gpus=16, work=900, min_runtime=1200)
    small = made.job(leaf="speech", gpus=1, work=60, min_runtime=60)
    made.slice(small, 90, 150, nodes=(1,))
    late = made.job(leaf="speech", gpus=1, work=60, min_runtime=60)
    made.holds.append((gang, 30, 600))
    if until_start:
        made.slice(gang, 600, 1500, nodes=(0, 1))
    made.slice(late, 1600, 1660)
    return made.result()


@pytest.mark.parametrize("until_start", [True, False])
def test_the_claim_of_who_holds_nodes_is_earmarked(until_start):
    result = holding(until_start)
    used = dict(zip(result.decisions["time"], (result.decisions["used"] * HOUR).round(), strict=False))
    assert used[90] == 8 * 600 + 16 * 1200
    assert used[1600] == 8 * 600 + 60 + (16 * 900 if until_start else 0)
    assert check(result) == ()
    row = result.decisions.index[result.decisions["time"] == 90][0]
    wrong = shifted(result, "decisions", row, used=-16 * 1200, headroom=16 * 1200)
    only(wrong, "the_log_says_truly_what_was_used", 4)


def test_a_holder_that_is_cancelled_is_earmarked_no_longer():
    made = Made()
    gang = made.job(leaf="speech", gpus=16, work=900, min_runtime=1200, cancelled=300)
    made.slice(made.job(leaf="speech", work=60, min_runtime=60), 320, 380)
    made.holds.append((gang, 30, 300))
    result = made.result()
    assert check(without(result, 1)) == ()  # no release is logged


# -- law 5 ------------------------------------------------------------------------------------------------------------


def test_idle_time_without_a_cause_is_found(result):
    moved = shifted(result, "cluster", 1, idle_no_demand=-30, idle_unexplained=30)
    only(moved, "nothing_idle_is_unexplained", 5, "30 GPU-s are idle without a cause")


# -- law 6 ------------------------------------------------------------------------------------------------------------


def test_work_that_no_slice_did_is_found(result):
    only(changed(result, "jobs", 4, done=600), "jobs_sum_their_slices", 6, "has done 600 s; its slices kept 0 s")
    only(shifted(result, "jobs", 2, lost=-1), "jobs_sum_their_slices", 6, "lost 2559 GPU-s; its slices 2560 GPU-s")
    only(changed(result, "jobs", 2, slices=2), "jobs_sum_their_slices", 6, "had 2 slices; there are 3")


def test_a_job_that_finished_with_work_left_is_found(result):
    only(changed(result, "jobs", 1, work=501), "done_is_what_was_asked", 6, "finished with 500 s done of 501 s")
    only(changed(result, "jobs", 2, work=4799), "done_is_what_was_asked", 6, "has done 4800 s of 4799 s")


def test_a_slice_that_finished_early_or_did_more_than_it_had_time_for_is_found(result):
    early = changed(changed(result, "slices", 1, kept=490), "jobs", 1, done=490, work=490)
    only(early, "slices_have_time_for_their_work", 6, "finished after 500 s with 0 s of start-up and 490 s of work")
    more = changed(changed(result, "slices", 2, kept=1851), "jobs", 2, done=4851)
    only(more, "slices_have_time_for_their_work", 6, "kept 1851 s of work in 1860 s with 10 s of start-up")
    free = changed(result, "slices", 4, overhead=10)
    only(free, "slices_have_time_for_their_work", 6, "has an overhead of 10 s; its job asks 20 s")


def test_what_runs_after_its_end_is_found():
    made = Made()
    made.slice(made.job(work=900, min_runtime=1200, cancelled=700), 600, 800, ended=EndCode.CANCELLED)
    only(made.result(), "nothing_runs_after_its_end", 6, "runs until 800 s; its job is over at 700 s")


def test_a_state_that_the_slices_deny_is_found(result):
    only(changed(result, "jobs", 1, state="waiting"), "nothing_runs_after_its_end", 6, "which its state denies")
    only(changed(result, "slices", 1, ended="cancelled"), "nothing_runs_after_its_end", 6, "last slice finished: False")


def test_waits_that_the_slices_do_not_leave_are_found(result):
    only(changed(result, "jobs", 2, queued=5269), "waits_fit_the_slices", 6, "5269 s in all; its slices leave 5270 s")
    only(changed(result, "jobs", 2, first_start=2041), "waits_fit_the_slices", 6, "its slices say 2040 s")


def test_a_slice_before_its_job_was_submitted_is_found():
    made = Made()
    made.slice(made.job(work=600, submit=31), 30, 630)
    only(made.result(), "waits_fit_the_slices", 6, "starts at 30 s, before its job is submitted at 31 s")


# -- how it is told ---------------------------------------------------------------------------------------------------


def test_a_violation_names_law_table_and_row_and_many_are_counted(result):
    wrong = attrs.evolve(result, jobs=result.jobs.assign(queued=result.jobs["queued"] + 1))
    found = check(wrong)
    assert [violation.row for violation in found] == [0, 1, 2, 3, 4, None]
    assert {(violation.law, violation.table) for violation in found} == {(6, "jobs")}
    assert found[-1].text == "3 more rows are wrong in the same way"


def test_every_law_is_broken_by_some_test():
    names = {law.__name__ for law in ALWAYS + WITH_CONTRACTS + WITH_QUOTAS}
    source = Path(__file__).read_text(encoding="utf-8")
    assert {name for name in names if f'"{name}"' not in source} == set()
