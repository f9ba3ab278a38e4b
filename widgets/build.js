// Bundles every widget, src/<name>/index.js, into the Python package. What is built is committed, for those who have no Node.
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const names = readdirSync(`${here}src`).sort();

await build({
  absWorkingDir: here,
  entryPoints: Object.fromEntries(names.map((name) => [name, `src/${name}/index.js`])),
  outdir: "../src/allotment/views/static",
  bundle: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  banner: { js: "// Built by `make widgets` from widgets/src: change it there." },
});
