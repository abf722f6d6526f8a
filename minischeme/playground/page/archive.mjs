// node archive.mjs SCRATCH TREE ARCHIVE OPTIMIZE: zip a tree, with Python's modules compiled by the Python that is
// Pyodide's; OPTIMIZE as for Python's compile, where 2 leaves out the columns of error reports, too.
import fs from "node:fs";
import path from "node:path";

const [scratch, tree, archive] = process.argv.slice(2, 5).map((name) => path.resolve(name));
const optimize = Number(process.argv[5]);
const { loadPyodide } = await import(path.join(scratch, "node_modules/pyodide/pyodide.mjs"));
const python = await loadPyodide({ env: optimize === 2 ? { PYTHONNODEBUGRANGES: "1" } : {} });
const pack = python.runPython(`
import pathlib, py_compile, zipfile

READ = {"minischeme/reading/table_maker.py"}  # is compared with the tables made by it
MODE = py_compile.PycInvalidationMode.UNCHECKED_HASH

def pack(root, optimize):
    with zipfile.ZipFile("/archive.zip", "w") as archive:
        def add(name, contents):
            archive.writestr(zipfile.ZipInfo(name), contents, zipfile.ZIP_DEFLATED, 9)
        for path in sorted(pathlib.Path(root).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix == ".py":
                py_compile.compile(str(path), "/module.pyc", name, True, optimize, MODE)
                add(name + "c", pathlib.Path("/module.pyc").read_bytes())
            if path.is_file() and (path.suffix not in (".py", ".pyi") or name in READ):
                add(name, path.read_bytes())

pack
`);
python.FS.mkdirTree("/tree");
python.FS.mount(python.FS.filesystems.NODEFS, { root: tree }, "/tree");
pack("/tree", optimize);
fs.writeFileSync(archive, python.FS.readFile("/archive.zip"));
