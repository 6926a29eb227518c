// Tries, with all of Deno's own interface at hand, what a snippet would want; prints one JSON object of what it got.
const [secret, folder, out, port, parent] = Deno.args;
const got = {};
async function attempt(name, action) {
  try { got[name] = String((await action()) ?? "done").slice(0, 80); } catch { /* refused */ }
}
await attempt("read", () => Deno.readTextFileSync(secret));
await attempt("list", () => [...Deno.readDirSync(folder)].length);
await attempt("write", () => Deno.writeTextFileSync(out, "x"));
await attempt("link", () => Deno.symlinkSync(secret, out));
await attempt("environment of the parent", () => Deno.readTextFileSync(`/proc/${parent}/environ`).slice(0, 20));
await attempt("run", () => new Deno.Command("/bin/true").outputSync().code);
await attempt("connect", async () => (await Deno.connect({ port: Number(port) })).close());
await attempt("fetch", async () => (await fetch(`http://127.0.0.1:${port}/`)).status);
await attempt("listen", () => Deno.listen({ port: 0 }).addr.port);
await attempt("signal", () => Deno.kill(Number(parent), "SIGCONT"));
await attempt("node fs", async () => (await import("node:fs")).readFileSync(secret, "utf8"));
await attempt("node child", async () => (await import("node:child_process")).execSync("echo ran").toString());
await attempt("import", async () => (await import(`file://${folder}/x.mjs`)).default);
Deno.stdout.writeSync(new TextEncoder().encode("\n" + JSON.stringify(got) + "\n"));
