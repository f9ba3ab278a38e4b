// The look. Sizes are in em, so that a projector's larger text enlarges all; colours of nodes come with the state.

export const style = `
.allotment-plan {
  --ink: #1b1b1b; --quiet: #4a5560; --line: #c9ced6; --soft: #eef3f8; --strong: #004c8c; --focus: #ffbf00;
  container-type: inline-size; box-sizing: border-box; width: 100%; padding: 0.9em 1em;
  background: #fff; color: var(--ink); border: 1px solid var(--line); border-radius: 8px; text-align: start;
  font: var(--allotment-size, 15px)/1.35 system-ui, "Segoe UI", Roboto, Helvetica, Arial, "Noto Sans", "Noto Sans CJK TC", "Noto Sans CJK HK", sans-serif;
}
.allotment-plan *, .allotment-plan *::before { box-sizing: border-box; }
.allotment-plan [hidden] { display: none !important; }
.allotment-plan h2 { margin: 0; font-size: 1.2em; line-height: 1.2; color: var(--ink); }
.allotment-plan h3 { margin: 0; font-size: 1.05em; line-height: 1.25; overflow-wrap: anywhere; color: var(--ink); }
.allotment-plan p { margin: 0; }
.allotment-plan header { display: flex; flex-wrap: wrap; gap: 0.2em 1em; align-items: baseline; margin-bottom: 0.7em; }
.allotment-plan .summary, .allotment-plan .says, .allotment-plan .note { color: var(--quiet); }

.allotment-plan fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
.allotment-plan legend, .allotment-plan .caption { display: block; padding: 0; font-size: 0.82em; color: var(--quiet); margin-bottom: 0.15em; }
.allotment-plan button, .allotment-plan input, .allotment-plan select {
  font: inherit; color: inherit; min-height: 2.1em; border: 1px solid #7c8794; border-radius: 5px; background: #fff; padding: 0.15em 0.6em; margin: 0;
}
.allotment-plan button { cursor: pointer; background: var(--soft); white-space: nowrap; }
.allotment-plan button:hover { background: #dfe8f1; }
.allotment-plan button[aria-disabled] { color: #5b6673; border-style: dashed; }
.allotment-plan button[aria-pressed="true"] { background: var(--ink); color: #fff; }
.allotment-plan button.strong { background: var(--strong); border-color: var(--strong); color: #fff; font-weight: 600; }
.allotment-plan input[type="text"] { width: 7em; max-width: 100%; }
.allotment-plan input.wide { width: 100%; }
.allotment-plan input[type="checkbox"] { width: 24px; height: 24px; min-height: 24px; accent-color: var(--strong); }
.allotment-plan input[aria-invalid] { border: 2px solid #b84300; background: #fff6ef; }
.allotment-plan ::placeholder { color: #5b6673; opacity: 1; }
.allotment-plan :focus { outline: none; }
.allotment-plan :focus-visible, .allotment-plan .segments input:focus-visible + span {
  outline: 3px solid var(--focus); outline-offset: 1px; box-shadow: 0 0 0 1px #1b1b1b, 0 0 0 5px #1b1b1b;
}

.allotment-plan .toolbar { display: flex; flex-wrap: wrap; gap: 0.6em 1.1em; align-items: end; }
.allotment-plan .buttons { display: flex; flex-wrap: wrap; gap: 0.4em; }
.allotment-plan .toolbar .buttons { margin-inline-start: auto; }
.allotment-plan .segments { display: flex; flex-wrap: wrap; gap: 3px; }
.allotment-plan .segments label { position: relative; display: flex; }
.allotment-plan .segments input { position: absolute; inset: 0; opacity: 0; width: 100%; height: 100%; cursor: pointer; }
.allotment-plan .segments span { padding: 0.3em 0.65em; border: 1px solid #7c8794; border-radius: 5px; background: #fff; }
.allotment-plan .segments input:checked + span { background: var(--strong); border-color: var(--strong); color: #fff; font-weight: 600; }
.allotment-plan .keys { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(25em, 100%), 1fr)); gap: 0.25em 1.2em; margin: 0.7em 0 0; padding: 0.6em 0.8em; background: var(--soft); border-radius: 6px; }
.allotment-plan .keys > div { display: flex; gap: 0.6em; }
.allotment-plan .keys dt { flex: 0 0 9em; font-weight: 600; }
.allotment-plan .keys dd { margin: 0; }
.allotment-plan .notice { min-height: 2.7em; margin: 0.6em 0 0.5em; padding: 0.3em 0.7em; border-inline-start: 4px solid var(--line); display: flow-root; overflow-wrap: anywhere; }
.allotment-plan .notice[data-kind="done"] { border-color: var(--strong); }
.allotment-plan .notice[data-kind="stopped"] { border-color: #b8860b; background: #fff8e6; }
.allotment-plan .notice[data-kind="refused"] { border-color: #b84300; background: #fff1e8; }

.allotment-plan .main { display: grid; grid-template-columns: minmax(0, 1fr) 18.5em; gap: 1.2em; align-items: start; }
.allotment-plan .picture { position: relative; min-width: 0; --root: 2.6em; }
.allotment-plan .tree, .allotment-plan .handles { position: absolute; inset: 0; }
.allotment-plan .handles { pointer-events: none; }
.allotment-plan .box {
  position: absolute; overflow: hidden; cursor: pointer; background: var(--fill);
  border: 0 solid #fff; border-width: 0 2px 1px 0; min-height: 2px;
}
.allotment-plan .box.inner { box-shadow: inset 0 0 0 1.5px var(--edge), inset 8px 0 0 var(--edge); border-width: 0 2px 1px 0; }
.allotment-plan .box.open {
  box-shadow: inset 0 0 0 1px var(--edge);
  background: repeating-linear-gradient(135deg, #fff 0 5px, var(--hatch) 5px 7px);
}
.allotment-plan .box.root { border: 1px solid #7c8794; border-radius: 4px; margin-inline-end: 3px; }
.allotment-plan .box:hover { filter: brightness(0.95); }
.allotment-plan .box.selected { z-index: 1; outline: 3px solid #1b1b1b; outline-offset: -3px; }
.allotment-plan .box:focus-visible { z-index: 2; outline: 4px solid var(--focus); outline-offset: -4px; box-shadow: inset 0 0 0 6px #1b1b1b; overflow: visible; }
.allotment-plan .box.inner:focus-visible, .allotment-plan .box.open:focus-visible { box-shadow: inset 0 0 0 6px #1b1b1b, 0 0 0 1px #1b1b1b; }
.allotment-plan .words { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 0.6em; padding: 0.2em 0.5em; min-width: 0; }
.allotment-plan .words b { font-weight: 650; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-width: 100%; }
.allotment-plan .words i, .allotment-plan td i { font-style: normal; font-size: 0.85em; white-space: nowrap; }
.allotment-plan .words i:not(:empty)::before { content: "("; }
.allotment-plan .words i:not(:empty)::after { content: ")"; }
.allotment-plan .words .size { white-space: nowrap; font-variant-numeric: tabular-nums; }
.allotment-plan .lock { width: 0.9em; height: 0.9em; flex: none; align-self: center; order: -1; margin-inline-end: -0.3em; }
.allotment-plan .captions { position: absolute; inset: 0; pointer-events: none; z-index: 2; }
.allotment-plan .caption-of { position: absolute; overflow: hidden; padding-inline-start: 6px; }
.allotment-plan .caption-of[data-room="line"] > .words { flex-wrap: nowrap; padding: 0 0.2em 0 0.5em; gap: 0.4em; }
.allotment-plan .caption-of.open > .words { background: #fff; width: fit-content; border-radius: 3px; margin: 1px 4px; padding: 0 0.4em; }
.allotment-plan .caption-of.root { padding: 0 3px 0 0; }
.allotment-plan .caption-of.root > .words { writing-mode: vertical-rl; transform: rotate(180deg); height: 100%; width: 100%; padding: 0.5em 0; justify-content: center; gap: 1em; align-items: center; align-content: center; flex-wrap: nowrap; }
.allotment-plan .picture:not([data-aside]) .leaders { display: none; }
.allotment-plan .leaders { position: absolute; top: 0; left: calc(100% - var(--gutter) - 2px); overflow: visible; pointer-events: none; }
.allotment-plan .labels { position: absolute; inset: 0 0 0 auto; width: calc(var(--gutter) - 24px); }
.allotment-plan .label { position: absolute; left: 0; right: 0; height: 24px; margin-top: -12px; display: flex; align-items: center; cursor: pointer; border-radius: 4px; }
.allotment-plan .label:hover { background: var(--soft); }
.allotment-plan .label.selected { background: #1b1b1b; color: #fff; }
.allotment-plan .label.open b { font-weight: 400; }
.allotment-plan .label .words { flex-wrap: nowrap; padding: 0 0.35em; width: 100%; }
.allotment-plan .label .words b { flex: 0 1 8.6em; }
.allotment-plan .label .words .size { flex: 0 0 auto; min-width: 3.6em; text-align: end; }
.allotment-plan .caption-of:not(.root) .words b { min-width: 2.5em; }
.allotment-plan .handle {
  position: absolute; width: 38px; height: 24px; margin: -12px 0 0 -19px; display: grid; place-items: center; z-index: 3;
  cursor: row-resize; pointer-events: auto; touch-action: none; border-radius: 8px;
}
.allotment-plan .grip { width: 30px; height: 8px; border-radius: 4px; background: #1b1b1b; border: 1.5px solid #fff; }
.allotment-plan .handle:hover .grip { height: 12px; border-radius: 6px; }
.allotment-plan .handle.fixed { cursor: not-allowed; }
.allotment-plan .handle.fixed .grip { background: #fff; border: 2px solid #1b1b1b; width: 18px; }
.allotment-plan .handle:focus-visible { background: rgb(255 255 255 / 70%); }

.allotment-plan .panel { display: grid; gap: 0.6em; padding: 0.8em; border: 1px solid var(--line); border-radius: 8px; background: #fafbfc; }
.allotment-plan .panel .typed { display: flex; align-items: center; gap: 0.4em; }
.allotment-plan .panel label:nth-of-type(2) .typed input { width: 100%; }
.allotment-plan .pair { display: flex; flex-wrap: wrap; gap: 0.5em; align-items: end; }
.allotment-plan .pair > label { flex: 1 1 7em; min-width: 0; }
.allotment-plan .pair > input { flex: 1 1 13em; min-width: 0; }
.allotment-plan .pair > input.short { flex: 1 1 6em; }
.allotment-plan .pair select, .allotment-plan .pair > label input { width: 100%; }
.allotment-plan .adding { border-top: 1px solid var(--line); padding-top: 0.6em; }

.allotment-plan .sign { display: grid; gap: 0.5em; margin-top: 0.9em; }
.allotment-plan .sign ul { margin: 0; padding-inline-start: 1.2em; columns: 22em; list-style: disc; }
.allotment-plan .sign li { overflow-wrap: anywhere; break-inside: avoid; }
.allotment-plan .sign ol { margin: 0; padding-inline-start: 1.6em; }
.allotment-plan .sign .grow { flex: 3 1 14em; }

.allotment-plan .table { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; }
.allotment-plan table { border-collapse: collapse; width: 100%; margin: 0; font-size: 1em; }
.allotment-plan caption { text-align: start; padding: 0.5em 0.7em; color: var(--quiet); }
.allotment-plan th, .allotment-plan td { text-align: start; padding: 0.2em 0.4em; border-top: 1px solid #e3e7ec; font-weight: 400; vertical-align: middle; background: none; }
.allotment-plan thead th { font-size: 0.82em; color: var(--quiet); vertical-align: bottom; }
.allotment-plan th.name { padding-inline-start: calc(0.5em + var(--level, 0) * 1em); }
.allotment-plan tbody th.name { display: flex; align-items: center; gap: 0.4em; min-height: 2.5em; }
.allotment-plan tbody th.name input { flex: 1 1 8em; min-width: 5em; width: auto; border-color: transparent; background: transparent; font-weight: 600; padding-inline: 0.3em; }
.allotment-plan tbody th.name input:hover, .allotment-plan tbody th.name input:focus { border-color: #7c8794; background: #fff; }
.allotment-plan .swatch { flex: none; width: 0.8em; height: 1.4em; border-radius: 3px; background: var(--edge); }
.allotment-plan tr.open .swatch { background: repeating-linear-gradient(135deg, #fff 0 3px, var(--edge) 3px 5px); }
.allotment-plan tr.root .said { font-weight: 600; }
.allotment-plan td.share { white-space: nowrap; }
.allotment-plan td input[type="text"] { width: 6em; text-align: end; }
.allotment-plan td.share i { margin-inline-start: 0.5em; }
.allotment-plan td.lock label { display: grid; place-items: center; width: 28px; height: 28px; }
.allotment-plan tr.selected > * { background: #e6eef6; }

@container (max-width: 860px) { .allotment-plan .main { grid-template-columns: minmax(0, 1fr); } }
@container (max-width: 620px) {
  .allotment-plan .allocated, .allotment-plan .unallocated { display: none; }
  .allotment-plan .panel .allocated, .allotment-plan .panel .unallocated { display: block; }
  .allotment-plan .toolbar .buttons { margin-inline-start: 0; }
  .allotment-plan td i { display: block; }
  .allotment-plan .picture { --root: 1.5em; }
  .allotment-plan table { table-layout: fixed; }
  .allotment-plan thead th.share { width: 7.2em; }
  .allotment-plan thead th.lock { width: 42px; }
  .allotment-plan th.name { padding-inline-start: calc(0.4em + var(--level, 0) * 0.6em); }
  .allotment-plan tbody th.name input { min-width: 0; flex-basis: 4em; }
  .allotment-plan td input[type="text"] { width: 100%; padding-inline: 0.3em; }
  .allotment-plan td.share i { margin-inline-start: 0; }
}
@media (prefers-reduced-motion: no-preference) {
  .allotment-plan .picture:not(.dragging) :is(.box, .label, .handle) { transition: top 0.16s, height 0.16s; }
}
@media (forced-colors: active) { .allotment-plan .box, .allotment-plan .grip { border: 1px solid CanvasText; } }
@media (pointer: coarse) { .allotment-plan .handle { width: 44px; height: 32px; margin: -16px 0 0 -22px; } }
`;
