"""What each worked example is about, as one constant of it changed: with that the example is wrong.

A setting is changed where the scenario of the example has the first value, so in some cases of it only where they differ; where no
setting decides, a part of a rule of the kernel is.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from allotment.model.policy import Backfill, Candidates, Key, Lending, Licence
from allotment.units import DAY, HOUR, MINUTE
from tests.worked.breaking import Change, Rule, Setting

scenario = partial(Setting, "")
policy = partial(Setting, "policy")
window = partial(Setting, "policy.window")
contracts = partial(Setting, "policy.contracts")
quotas = partial(Setting, "policy.quotas")
first = partial(Setting, "policy.partitions.0")
second = partial(Setting, "policy.partitions.1")

BACKFILL: dict[str, Change] = {
    "strictly_nothing_starts_before_the_first_in_line": policy("backfill", Backfill.STRICT, Backfill.ANY),
    "whatever_fits_starts_where_nothing_is_reserved": policy("backfill", Backfill.ANY, Backfill.EASY),
    "easy_lets_start_on_reserved_nodes_what_ends_before_the_reservation_starts": Rule(
        "_start_plain", "j.plan <= clock", "j.plan < clock"
    ),
    "easy_lets_start_on_other_nodes_whatever_fits": policy("backfill", Backfill.EASY, Backfill.ANY),
    "easy_reserves_the_nodes_that_come_free_last_and_leaves_those_that_are_free_now": Rule(
        "reserve", "when < s.cost[node, 0] <=", "s.cost[node, 0] <="
    ),
    "easy_plans_with_limits_and_starts_when_work_ends": Rule("start", "clock.now + j.plan", "clock.now + j.work"),
    "a_higher_priority_displaces_a_lower_one_that_is_preemptible": first("licence", Licence.LOWER, Licence.NOBODY),
    "a_higher_priority_never_displaces_what_is_not_preemptible": Rule("_start_plain", "j.preemptible != 0", "True"),
    "the_same_priority_is_not_displaced": Rule("tier_of", "hold_due or victim.priority <", "victim.priority <="),
    "the_lower_priority_is_displaced_first_even_if_more_is_lost": Rule("tier_of", "int(victim.priority) if", "0 if"),
    "a_higher_priority_comes_first_then_the_earlier_submit_time": first(
        "keys", (Key.PRIORITY, Key.AGE), (Key.PRIORITY,)
    ),
}

FAIR_TREE: dict[str, Change] = {
    "all_below_the_better_account_come_before_all_below_the_other": Rule("_comes_before", "if x != y", "if False"),
    "what_siblings_leave_open_of_their_parent_does_not_count": Rule("_fair_share", "up.child_shares", "up.share"),
    "equal_users_share_a_rank_and_it_counts_them_all": Rule(
        "_stand", "below += max(tree[line[after]].users_below, 1)", "below += 1"
    ),
    "the_children_of_equal_accounts_are_one_family": Rule("_stand", "v.tied = at", "v.tied = member"),
    "one_gpu_second_more_and_the_accounts_are_not_equal": Rule(
        "_fair_share", "child_shares * v.used", "child_shares * (v.used // 10 * 10)"
    ),
    "a_user_equal_to_an_account_has_the_rank_of_its_best_user": Rule(
        "_stand", "= up.standing, up.inside", "= up.inside, up.inside"
    ),
    "no_share_comes_last_even_without_any_use_and_no_use_comes_first": Rule("_fair_share", "v.share == 0", "False"),
    "use_of_a_week_ago_counts_half": window("half_life", 7 * DAY, 6 * DAY),
    "use_of_more_than_ten_half_lives_ago_is_forgotten": window("lookback", 70 * DAY, 72 * DAY),
    "equals_go_by_age": first("keys", (Key.LEVEL_FAIR_SHARE, Key.AGE), (Key.LEVEL_FAIR_SHARE,)),
    "the_running_job_of_a_leaf_counts_against_its_next_one": first("keys", (Key.LEVEL_FAIR_SHARE, Key.AGE), (Key.AGE,)),
    "a_gang_that_does_not_fit_has_a_reservation_and_nobody_is_stopped_for_it": policy(
        "backfill", Backfill.EASY, Backfill.ANY
    ),
}

FILL: dict[str, Change] = {
    "the_fill_goes_by_use_over_entitlement_and_a_share_of_zero_comes_last": second(
        "keys", (Key.USE, Key.PRIORITY, Key.AGE), (Key.PRIORITY, Key.AGE)
    ),
    "those_without_a_share_go_by_use_alone": Rule("compare_use", "order == 0 and u.entitled == 0", "False"),
    "the_fill_counts_what_this_pass_has_given": Rule("fill", ".added += j.gpus", ".added += 0"),
    "within_a_leaf_the_fill_goes_by_priority_then_age_and_passes_over_what_does_not_fit": Rule(
        "_order_key", "int(-j.priority)", "0"
    ),
    "funded_work_goes_by_the_lower_ratio_and_a_claim_counts_at_once": Rule(
        "commit", "committed += claim", "committed += 0"
    ),
    "ratios_are_compared_where_the_branches_part": Rule("compare_balance", "x, y = fork(s, a, b)", "x, y = a, b"),
    "what_was_displaced_is_passed_over_for_ten_minutes_if_another_fits": policy("cooldown", 10 * MINUTE, 9 * MINUTE),
    "what_was_displaced_starts_at_once_if_nothing_else_fits": Rule("fill", "(FRESH, COOLING)", "(FRESH,)"),
    "where_only_heads_are_looked_at_an_unfunded_claim_hides_a_funded_one": policy(
        "candidates", Candidates.HEAD, Candidates.CLASSES
    ),
    "what_may_start_behind_a_funded_claim_without_room": policy("backfill", Backfill.UNALLOCATED_ONLY, Backfill.ANY),
    "a_closed_stream_submits_while_what_is_outstanding_and_half_of_the_next_are_within_its_target": Rule(
        "_top_up", "+ take >", "+ 2 * take >"
    ),
}

FUNDING: dict[str, Change] = {
    "a_claim_fits_in_the_headroom_of_its_leaf_less_half_a_percent": contracts(
        "reserve", Fraction(1, 200), Fraction(1, 201)
    ),
    "a_claim_fits_in_the_headroom_of_every_level_up_to_the_budget": Rule(
        "lacking_level", "level = v.parent", "return -1"
    ),
    "short_claims_are_judged_at_the_budget_alone_and_may_use_the_reserve": Rule(
        "lacking_level", "0 if short else v.reserve", "v.reserve"
    ),
    "a_claim_of_more_than_fifteen_minutes_is_not_short": contracts("short", 900, 901),
    "the_budget_lends_to_a_leaf_whose_kin_has_no_work": contracts("lending", Lending.IDLE_KIN, Lending.NONE),
    "the_budget_lends_to_a_leaf_whose_kin_has_only_short_work": contracts("short", 900, 899),
    "the_budget_lends_to_a_leaf_whose_kin_asks_no_contract": contracts("lending", Lending.IDLE_KIN, Lending.NONE),
    "the_budget_does_not_lend_while_kin_with_headroom_has_long_work": contracts("short", 900, 901),
    "a_policy_may_lend_always_or_never": contracts("lending", Lending.ALWAYS, Lending.IDLE_KIN),
    "kin_without_headroom_does_not_stop_the_lending": Rule("recount_lender", "wants and v.headroom > 0", "wants"),
    "two_kin_with_headroom_that_both_want_to_borrow_wait_for_one_another": contracts(
        "lending", Lending.IDLE_KIN, Lending.ALWAYS
    ),
    "a_claim_above_a_whole_window_of_its_budget_is_too_large": window("lookback", 7 * DAY, 7 * DAY + 60),
    "a_gang_takes_whole_nodes_and_is_charged_for_them": Rule("_jobs", "gpus=gpus,", "gpus=table.gpus,"),
    "a_claim_is_charged_within_the_pass_already": Rule("commit", "headroom -= claim", "headroom -= 0"),
    "an_early_finish_returns_the_unspent_claim_at_once": Rule("book", "+= take * r.until", "+= max(take, 0) * r.until"),
    "use_leaves_the_window_after_seven_days": window("lookback", 7 * DAY, 7 * DAY + 30),
    "a_node_that_is_down_lowers_what_everybody_is_entitled_to": Rule("_set_service", "nodes - clock.down", "nodes"),
    "who_uses_its_share_of_what_is_left_stays_where_it_stands_while_a_node_is_down": window(
        "lookback", 7 * DAY, 2 * DAY
    ),
    "a_raise_of_a_share_gives_no_back_pay": Rule(
        "_entitle", "+= s.shares[epoch, node]", "+= s.shares[clock.epochs - 1, node]"
    ),
}

HOLDING: dict[str, Change] = {
    "a_gang_holds_the_nodes_that_come_free_soonest_and_starts_when_the_last_of_them_does": Rule(
        "hold_nodes", "s.cost[node, 0] < when", "best < 0 and s.cost[node, 0] < NEVER"
    ),
    "a_holder_has_its_claim_earmarked": Rule("hold_nodes", "earmark += claim", "earmark += 0"),
    "a_claim_is_earmarked_within_the_pass_already": Rule("hold_nodes", "commit(s, j.leaf, claim)", "pass"),
    "a_claim_starts_on_held_nodes_only_if_its_contract_ends_before_the_set_is_due": Rule(
        "claimable", "contract_end <=", "contract_end <"
    ),
    "a_short_claim_too": Rule("claimable", "contract_end <=", "contract_end <"),
    "unallocated_work_runs_on_held_nodes_is_not_promoted_there_and_yields_in_the_end": Rule(
        "book", "r.blocked == 0", "True"
    ),
    "a_hold_takes_the_next_soonest_node_in_place_of_one_that_goes_out_of_service": Rule(
        "replace_node", "if other < 0", "if other >= 0"
    ),
    "a_hold_ends_where_there_is_no_other_node": contracts("holders", 1, 0),
    "one_holds_at_a_time": contracts("holders", 1, 2),
    "a_hold_on_interruptible_slices_is_due_one_cap_later": contracts("cap", 8 * HOUR, 8 * HOUR - 30),
    "interruptible_slices_yield_to_a_hold_after_one_cap": contracts("cap", 8 * HOUR, 8 * HOUR + 30),
    "a_funded_claim_starts_within_two_caps": contracts("cap", 8 * HOUR, 8 * HOUR + 30),
}

IDLE: dict[str, Change] = {
    "what_is_not_funded_idles_the_gpus_of_a_policy_that_starts_nothing_else": window("lookback", HOUR, HOUR + 10),
    "a_funded_claim_beyond_the_slots_of_its_team_is_not_started_unallocated_instead": policy(
        "slot_limits", True, False
    ),
    "gpus_that_a_funded_claim_behind_a_better_rank_would_fit_on_are_held": policy(
        "candidates", Candidates.HEAD, Candidates.CLASSES
    ),
    "held_nodes_idle_for_the_holder_when_a_funded_claim_would_end_too_late": Rule(
        "_stands_behind", "ends <= s.holds", "ends >= s.holds"
    ),
    "a_loan_that_comes_about_in_a_pass_is_used_in_the_next": contracts("lending", Lending.IDLE_KIN, Lending.ALWAYS),
    "what_a_displacement_frees_after_a_job_was_looked_at_is_looked_at_in_the_next_pass": Rule(
        "explain", "clock.dirty != 0", "False"
    ),
}

MACHINES: dict[str, Change] = {
    "a_cordoned_node_empties_as_contracts_end": Rule("cordon", "s.slices[row].state == PROTECTED", "False"),
    "a_gang_leaves_a_cordoned_node_as_a_whole_at_the_end_of_its_contract": Rule(
        "cordon", "s.slices[row].state == PROTECTED", "False"
    ),
    "a_gang_that_is_not_protected_leaves_a_cordoned_node_as_a_whole_at_once": Rule(
        "cordon", "_set_service(s, node, 0, 1)", "_set_service(s, node, 0, 0)"
    ),
    "a_cordoned_node_takes_nothing_new": Rule("in_service", "s.nodes[node].draining == 0", "True"),
    "what_dies_with_its_node_restarts_from_its_checkpoint_with_a_new_claim": Rule(
        "progress", "(ran - r.saved_from) // interval * interval", "ran - r.saved_from"
    ),
    "a_gang_dies_with_any_of_its_nodes": Rule(
        "_stop_all", "count > 0:", "count > 0 and s.slices[s.on_node[node, 0]].node == node:"
    ),
    "an_urgent_repair_stops_even_what_is_protected": Rule("act", "_stop_all(s, row, URGENT_REPAIR)", "pass"),
}

QUOTA: dict[str, Change] = {
    "fair_gpus_are_those_of_the_three_phases": Rule("_divide_among_children", "tree[best].fair += 1", "pass"),
    "the_more_history_weighs_the_less_is_left_for_who_has_had_much": quotas("history", 3, 2),
    "quotas_are_rounded_down_to_whole_gpus": Rule("whole_gpus", "(share * healthy + healthy - 1)", "(share * healthy)"),
    "the_weight_is_the_share_where_the_plan_says_nothing": Rule("over_quota_weight", "node.share if", "1 if"),
    "what_an_inner_node_should_hold_is_divided_among_its_children": Rule(
        "_divide_among_children", "min(v.quota, v.request)", "v.request"
    ),
    "who_stays_in_its_quota_comes_before_who_would_not_whatever_the_priority": Rule(
        "queue_before", "(a > u.quota) != (b > v.quota)", "False"
    ),
    "of_two_in_their_quota_the_emptier_is_served_first": Rule("queue_before", "order < 0 if", "order > 0 if"),
    "equal_fillings_go_by_id_and_within_a_leaf_priority_comes_before_age": first(
        "keys", (Key.FAIR_GPUS, Key.PRIORITY, Key.AGE), (Key.FAIR_GPUS, Key.AGE, Key.PRIORITY)
    ),
    "without_a_share_of_anything_one_comes_last": Rule("queue_before", "(most == 0) != (others == 0)", "False"),
    "what_is_lent_is_reclaimed_when_its_minimum_runtime_is_over": quotas(
        "reclaim_min_runtime", 8 * HOUR, 8 * HOUR + 30
    ),
    "never_below_what_the_other_deserves": Rule("_may_try", "v.allocated + j.gpus > v.fair", "False"),
    "a_claimant_reclaims_only_while_its_leaf_holds_no_more_than_its_fair_gpus": Rule(
        "_may_try", "> v.fair:", "> v.fair + 1:"
    ),
    "the_last_victim_may_leave_the_other_with_less_than_it_deserves": Rule(
        "may_reclaim", "y.allocated - y.taken >", "y.allocated - y.taken - r.gpus >="
    ),
    "fair_gpus_above_the_quota_may_be_reclaimed_too_from_who_holds_more": Rule(
        "allocatable", "max(v.quota, v.fair)", "max(v.quota, v.fair) + 2"
    ),
    "the_minimum_runtime_is_that_of_the_victims_side_below_the_common_ancestor": Rule(
        "may_reclaim", "y.reclaim_after", "s.tree[r.leaf].reclaim_after"
    ),
    "from_within_the_lab_what_the_leaf_says_counts": Rule(
        "may_reclaim", "y.reclaim_after", "s.tree[y.parent].reclaim_after"
    ),
    "within_a_leaf_a_lower_priority_is_preempted_after_its_minimum_runtime_and_an_equal_one_never": quotas(
        "preempt_min_runtime", 15 * MINUTE, 16 * MINUTE
    ),
    "a_gang_that_would_not_fit_takes_nothing": Rule("_node_tier", "0 if may_clear(s, job, node) else -1", "0"),
    "what_takes_from_another_must_not_end_up_nearly_as_far_above_its_fair_gpus": quotas("multiplier", 4, 5),
    "what_nobody_may_stop_runs_within_the_quota_only_and_is_never_stopped": quotas("immune_within_quota", True, False),
    "with_the_policy_that_ships_the_mark_means_nothing": quotas("immune_within_quota", False, True),
}

RECLAIM: dict[str, Change] = {
    "a_reclaim_by_balance_needs_a_ratio_lower_by_the_margin_where_the_branches_part": policy(
        "margin", Fraction(1, 20), Fraction(499, 10_000)
    ),
    "a_short_claim_takes_what_is_interruptible_whatever_the_ranks_but_never_what_is_protected": contracts(
        "short", 900, 899
    ),
    "a_claim_that_is_not_short_must_outrank": contracts("short", 900, 902),
    "nothing_is_reclaimed_within_a_leaf": policy("reclaim_within_leaf", False, True),
    "unallocated_work_yields_before_interruptible_work_whatever_is_lost": Rule(
        "tier_of", "if r.state == UNALLOCATED:\n        return 0", "if r.state == UNALLOCATED:\n        return 2"
    ),
    "the_least_work_is_lost_and_work_is_lost_since_the_last_checkpoint": Rule(
        "progress", "now - r.start - r.overhead", "now - r.start"
    ),
    "before_the_first_checkpoint_the_start_up_is_lost_too": Rule(
        "progress", "return 0, now - r.start", "return 0, ran"
    ),
    "a_displaced_job_goes_on_from_its_checkpoint_and_pays_its_restart": Rule(
        "start", "j.startup if j.slices == 0 else j.restart", "j.startup"
    ),
    "what_a_gang_loses_counts_on_all_its_nodes": Rule("lost_if_stopped", "lost * r.gpus", "lost * gpus_on(s, row)"),
    "a_gang_that_would_not_fit_displaces_nobody": policy("margin", Fraction(1, 20), Fraction(0)),
    "a_claim_that_would_not_fit_on_a_node_displaces_nobody": policy("margin", Fraction(1, 20), Fraction(0)),
    "free_gpus_go_by_best_fit": Rule("find_free", "take <= free < best_free", "take <= free and best < 0"),
    "where_nothing_is_lost_a_reclaim_goes_by_best_fit": Rule("reclaim_on_node", "left < best_left", "False"),
    "a_victim_that_proves_unnecessary_is_put_back": Rule("choose_on_node", "if room - gpus >= take", "if False"),
    "a_gang_puts_back_a_single_node_when_the_next_victim_clears_enough": Rule(
        "_put_back", "if empty - spared >= need", "if False"
    ),
    "what_was_displaced_does_not_start_again_in_the_same_pass": Rule(
        "stop", "enqueue(s, job, DISPLACED)", "enqueue(s, job, FRESH)"
    ),
    "a_job_that_is_not_resumable_is_given_up_at_its_fifth_stop": scenario("give_up_after", 5, 6),
}

SETTLING: dict[str, Change] = {
    "a_contract_ends_at_its_own_second_and_passes_lie_on_the_grid": Rule(
        "_on_grid", "-(-clock.now // cycle) * cycle", "clock.now"
    ),
    "a_slice_is_promoted_where_it_stands_and_protected_for_its_full_minimum_runtime": Rule(
        "_turn", "s.clock[0].now + s.jobs", "s.slices[row].start + s.jobs"
    ),
    "promotion_goes_by_the_rank_of_funded_work": Rule("_order_key", "int(-j.priority)", "0"),
    "a_leaf_without_headroom_has_all_its_interruptible_slices_demoted_in_one_pass": Rule(
        "has_room", "headroom <= 0", "headroom < 0"
    ),
    "who_lends_is_found_before_anything_is_demoted_so_that_no_order_of_leaves_matters": Rule(
        "_demote_all", "demote(s, row)\n", "demote(s, row)\n        recount_lender(s, leaf)\n"
    ),
    "a_demoted_slice_is_promoted_again_when_its_claim_is_funded": contracts(
        "reserve", Fraction(1, 200), Fraction(1, 201)
    ),
    "a_leaf_saves_after_its_oldest_claim_has_queued_for_a_day": contracts("save_after", DAY, DAY + 30),
    "a_slot_limit_counts_at_start_and_at_promotion": policy("slot_limits", True, False),
    "a_slot_limit_on_unallocated_work_is_its_last_gpu": policy("slot_limits", True, False),
    "a_demotion_may_exceed_the_limit_and_then_nothing_more_starts": policy("slot_limits", True, False),
}

CHANGED: dict[str, dict[str, Change]] = {
    "backfill": BACKFILL,
    "fair_tree": FAIR_TREE,
    "fill": FILL,
    "funding": FUNDING,
    "holding": HOLDING,
    "idle": IDLE,
    "machines": MACHINES,
    "quota": QUOTA,
    "reclaim": RECLAIM,
    "settling": SETTLING,
}
