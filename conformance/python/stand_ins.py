"""Lets one real SGLang module be imported without the packages around it.

Only what a module imports is replaced; the code that names, labels and writes
metrics always comes from the unpacked release.
"""

import importlib.machinery
import importlib.util
import sys
import types
from pathlib import Path

# The modules that run as released. Every other `sglang.*` import is a stand-in.
REAL_MODULES = {
    "sglang.srt.metrics.collector",
    "sglang.srt.metrics.utils",
    "sglang.srt.observability.metrics_collector",
    "sglang.srt.observability.http_request_metrics",
    "sglang.srt.observability.scheduler_stage_metrics",
    "sglang.srt.observability.utils",
    "sglang.srt.utils.gauge_histogram",
    "sglang.srt.utils.http_middleware_patch",
}


class _AnswersOnTheClass(type):
    def __getattr__(cls, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return cls()


class StandIn(metaclass=_AnswersOnTheClass):
    """Answers every attribute and call with itself, and counts as false."""

    def __init__(self, *args, **kwargs):
        pass

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args, **kwargs):
        return self

    def __bool__(self):
        return False

    def __iter__(self):
        return iter(())


class Settings:
    """A server's settings: what was given, and None for the rest."""

    def __init__(self, **given):
        self.__dict__.update(given)

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return None


class StandInModule(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return StandIn


class _Loader:
    def create_module(self, spec):
        module = StandInModule(spec.name)
        module.__path__ = []
        return module

    def exec_module(self, module):
        pass


class _SglangFinder:
    """Real modules from the release, stand-ins for the rest of the package."""

    def __init__(self, root):
        self.root = Path(root)

    def find_spec(self, name, path=None, target=None):
        if name != "sglang" and not name.startswith("sglang."):
            return None
        file = self.root / (name.replace(".", "/") + ".py")
        if name in REAL_MODULES and file.is_file():
            return importlib.util.spec_from_file_location(name, file)
        return importlib.machinery.ModuleSpec(name, _Loader(), is_package=True)


class _MissingFinder:
    """A stand-in for a package that is not installed here, such as torch."""

    NAMES = {"torch", "triton", "zmq", "numpy", "ray", "psutil", "fastapi"}

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in self.NAMES:
            return None
        return importlib.machinery.ModuleSpec(name, _Loader(), is_package=True)


def install(root):
    sys.meta_path.insert(0, _SglangFinder(root))
    sys.meta_path.append(_MissingFinder())


def provide(module_name, **attributes):
    """Gives a stand-in module real attributes before it is imported."""
    module = StandInModule(module_name)
    module.__path__ = []
    for name, value in attributes.items():
        setattr(module, name, value)
    sys.modules[module_name] = module
