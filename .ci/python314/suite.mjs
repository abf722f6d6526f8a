// node suite.mjs FOLDER CHECKOUT pytest-arguments…: the tests of CHECKOUT under the Python that is Pyodide's.
// FOLDER has node_modules/pyodide, and the wheels of what the tests import. The exit status is pytest's.
import fs from "node:fs";
import path from "node:path";

const [folder, checkout] = process.argv.slice(2, 4).map((name) => path.resolve(name));
const { loadPyodide } = await import(path.join(folder, "node_modules/pyodide/pyodide.mjs"));
const python = await loadPyodide({ env: { HOME: "/home/pyodide", HYPOTHESIS_STORAGE_DIRECTORY: "/tmp/hypothesis" } });
const site = python.runPython("import sysconfig; sysconfig.get_path('purelib')");
for (const name of fs.readdirSync(path.join(folder, "wheels"))) {
  const wheel = new Uint8Array(fs.readFileSync(path.join(folder, "wheels", name)));
  python.unpackArchive(wheel, "wheel", { extractDir: site });
}
python.FS.mkdirTree("/checkout");
python.FS.mount(python.FS.filesystems.NODEFS, { root: checkout }, "/checkout");
python.globals.set("words", python.toPy(process.argv.slice(4)));
let status;
try {
  status = python.runPython(`
import os, subprocess, sys, threading
import js, pytest

class Missing:
    """Importing these skips a file."""
    def find_spec(self, name, path=None, target=None):
        if name in ("pexpect", "venv"):
            pytest.skip("Pyodide has no terminals, and no environments", allow_module_level=True)

def lacking(what):
    def skip(*arguments, **options):
        pytest.skip(f"Pyodide has no {what}")
    return skip

class Current:
    def pytest_runtest_logstart(self, nodeid):
        js.currentTest = nodeid

sys.meta_path.insert(0, Missing())
subprocess.Popen.__init__ = lacking("processes")
threading.Thread.start = lacking("threads")
threading.Timer.start = lambda timer: None  # a time limit is never over
sys.dont_write_bytecode = True
os.chdir("/checkout")
sys.path.insert(0, "/checkout")  # before our own wheel, which is there for its entry point
print("Python", sys.version.split()[0], sys.platform)
int(pytest.main([
    "-p", "no:faulthandler", "-p", "no:xdist", "-o", "addopts=", "-o", "timeout=0", "-o", "cache_dir=/tmp/pytest",
    "-q", "--no-header", "--tb=short",
    "-k", "not endless_loop and not limit_of_a_file and not ctrl_c",  # which wait for one to be over
    *words,
], plugins=[Current()]))
`);
} catch (error) {
  console.error(`Python died in ${globalThis.currentTest}: ${error}`);
  status = 3;
}
process.exit(status);
