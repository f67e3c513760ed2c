"""The compiler's index of a debug build, which records the definitions and uses of symbols. Used by the checks beside this file."""
import ctypes, json, os, pathlib, subprocess, sys
from ctypes import CFUNCTYPE, byref, c_bool, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / os.environ.get("SCRATCH_PATH", ".build")


def output(*command):
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


class Text(ctypes.Structure):
    _fields_ = [("bytes", c_void_p), ("count", c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.bytes, self.count).decode() if self.count else ""


class Index:
    """The required part of the toolchain's indexstore.h."""

    EACH = CFUNCTYPE(c_bool, c_void_p, c_void_p)
    EACH_NAME = CFUNCTYPE(c_bool, c_void_p, Text)
    RECORD = 2
    DEFINITION = 1 << 1

    def __init__(self, folder, compiler):
        self.library = ctypes.CDLL(str(compiler.parent.parent / "lib" / "libIndexStore.so"))
        self.store = self.call("store_create", c_void_p, os.fsencode(folder), None)
        if not self.store:
            sys.exit(f"no index in {folder}: run `swift build` before")

    def call(self, name, result, *arguments):
        function = getattr(self.library, "indexstore_" + name)
        function.restype = result
        return function(*(c_void_p(value) if type(value) is int else value for value in arguments))

    def collect(self, name, reader, each):
        """Calls `each` with every item that a library function enumerates."""
        self.call(name, c_bool, reader, None, self.EACH(lambda _, element: each(element) or True))

    def units(self):
        names = []
        each = self.EACH_NAME(lambda _, name: names.append(str(name)) or True)
        self.call("store_units_apply_f", c_bool, self.store, c_uint(0), None, each)
        for name in names:
            unit = self.call("unit_reader_create", c_void_p, self.store, name.encode(), None)
            if unit:
                yield unit
                self.call("unit_reader_dispose", None, unit)

    def dependencies(self, unit):
        """Returns the record names of a unit, and the modules that it imports."""
        records, modules = set(), set()

        def each(dependency):
            if self.call("unit_dependency_get_kind", c_int, dependency) == self.RECORD:
                records.add(str(self.call("unit_dependency_get_name", Text, dependency)))
            else:
                modules.add(str(self.call("unit_dependency_get_modulename", Text, dependency)))

        self.collect("unit_reader_dependencies_apply_f", unit, each)
        return records, modules - {""}

    def occurrences(self, record):
        """Returns the symbol, name and line of each occurrence, and whether it is a definition."""
        found = []

        def each(occurrence):
            line, column = c_uint(), c_uint()
            symbol = self.call("occurrence_get_symbol", c_void_p, occurrence)
            self.call("occurrence_get_line_col", None, occurrence, byref(line), byref(column))
            is_definition = bool(self.call("occurrence_get_roles", c_uint64, occurrence) & self.DEFINITION)
            name = str(self.call("symbol_get_name", Text, symbol))
            found.append((str(self.call("symbol_get_usr", Text, symbol)), name, line.value, is_definition))

        reader = self.call("record_reader_create", c_void_p, self.store, record.encode(), None)
        if reader:
            self.collect("record_reader_occurrences_apply_f", reader, each)
            self.call("record_reader_dispose", None, reader)
        return found


    def files(self):
        """Yields the path of each existing source file, with its records and the modules that it imports."""
        for unit in self.units():
            path = pathlib.Path(str(self.call("unit_reader_get_main_file", Text, unit)))
            # Units of deleted files stay in the index.
            if path.suffix == ".swift" and path.is_file() and (ROOT / "Sources" in path.parents or ROOT / "Tests" in path.parents):
                yield path.relative_to(ROOT), *self.dependencies(unit)


def open_index():
    """Opens the index of the debug build in BUILD."""
    compiler = pathlib.Path(json.loads(output("swift", "-print-target-info"))["paths"]["runtimeResourcePath"]).parent.parent / "bin" / "swift"
    return Index(BUILD / "debug" / "index" / "store", compiler)
