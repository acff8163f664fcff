"""Reads the source of an unpacked SGLang release without running it."""

import ast
import re
from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=None)
def parse(path):
    return ast.parse(Path(path).read_text(encoding="utf-8"))


class Release:
    def __init__(self, root):
        self.root = Path(root)
        self.srt = self.root / "sglang" / "srt"

    def first(self, *candidates):
        """The first of these files (relative to srt) that the release has."""
        for candidate in candidates:
            if (self.srt / candidate).is_file():
                return self.srt / candidate
        return None

    def files(self, *folders):
        for folder in folders:
            yield from sorted((self.srt / folder).rglob("*.py"))

    def relative(self, path):
        return Path(path).relative_to(self.root).as_posix()

    @property
    def collector_file(self):
        return self.first(
            "observability/metrics_collector.py", "metrics/collector.py"
        )

    def module_name(self, path):
        return self.relative(path)[: -len(".py")].replace("/", ".")


def borrow(path, *names, given=None):
    """Runs only these top-level definitions of a file and returns them."""
    tree = parse(path)
    body = [
        node
        for node in tree.body
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name in names
    ]
    namespace = {"__name__": "borrowed", **(given or {})}
    future = ast.parse("from __future__ import annotations").body
    module = ast.Module(body=future + body, type_ignores=[])
    exec(compile(module, str(path), "exec"), namespace)
    return {name: namespace[name] for name in names if name in namespace}


def _builds(statement, names):
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in names
        for node in ast.walk(statement)
    )


def building_statements(path, names):
    """The statements of the innermost `if` block up to the one that calls one of `names`.

    That block is where a release decides the labels of its collector.
    """
    found = None
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.If) and any(_builds(child, names) for child in node.body):
            found = node  # breadth first: the last one is the innermost
    if found is None:
        return None
    index = next(i for i, child in enumerate(found.body) if _builds(child, names))
    return ast.Module(body=found.body[: index + 1], type_ignores=[])


def named_stages(release):
    """RequestStage of a release: name -> (label value, whether its histogram is written)."""
    path, body = _request_stage(release)
    stages = {
        item.targets[0].id: item.value
        for item in body
        if isinstance(item, ast.Assign) and isinstance(item.targets[0], ast.Name)
    }
    calls = _latency_calls(release)
    used = _used_stages(release)
    named = {}
    for name, value in stages.items():
        if isinstance(value, ast.Constant):
            named[name] = (value.value, calls.get(name, 0))
        elif isinstance(value, ast.Call) and value.args:
            observed = any(
                keyword.arg == "metrics_is_observed" and keyword.value.value is True
                for keyword in value.keywords
            )
            named[name] = (value.args[0].value, 1 if observed and name in used else 0)
    return path, named


def _request_stage(release):
    for candidate in ("observability/req_time_stats.py", "managers/schedule_batch.py"):
        path = release.first(candidate)
        for node in parse(path).body if path else []:
            if isinstance(node, ast.ClassDef) and node.name == "RequestStage":
                return path, node.body
    return None, []


def _used_stages(release):
    """Members of RequestStage that any code mentions; one that is only declared is never written."""
    return {
        node.attr
        for file in release.files("managers", "disaggregation", "observability")
        for node in ast.walk(parse(file))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "RequestStage"
    }


def _latency_calls(release):
    """How often the source calls `add_latency(RequestStage.X)`; releases up to 0.5.9 count that way."""
    calls = {}
    for file in release.files("managers", "disaggregation"):
        for node in ast.walk(parse(file)):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "add_latency"
                and node.args
                and isinstance(node.args[0], ast.Attribute)
            ):
                name = node.args[0].attr
                calls[name] = calls.get(name, 0) + 1
    return calls


def decode_log_interval(release):
    """Default of --decode-log-interval: the number of decode steps between two pushes of the gauges."""
    for file in (release.srt / "server_args.py", *release.files("arg_groups")):
        if not file.is_file():
            continue
        for node in ast.walk(parse(file)):
            if (
                isinstance(node, ast.AnnAssign)
                and isinstance(node.target, ast.Name)
                and node.target.id == "decode_log_interval"
            ):
                return next(
                    (
                        item.value
                        for item in ast.walk(node)
                        if isinstance(item, ast.Constant) and type(item.value) is int
                    ),
                    None,
                )
    return None


def idle_refresh_seconds(release):
    """The number in `last_log_time + N`: the pause before an idle engine pushes its gauges again."""
    found = set()
    for file in release.files("managers", "observability"):
        text = file.read_text(encoding="utf-8")
        found.update(int(n) for n in re.findall(r"last_log_time \+ (\d+)", text))
    return sorted(found)


def counter_call_sites(release, methods):
    """Where a collector method is called: `file:function`, so that a moved call is noticed."""
    sites = {}
    for file in release.files("managers", "disaggregation", "observability"):
        tree = parse(file)
        for function in ast.walk(tree):
            if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            for node in ast.walk(function):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Attribute)
                    and node.func.attr in methods
                ):
                    site = f"{file.relative_to(release.srt).as_posix()}:{function.name}"
                    sites.setdefault(node.func.attr, set()).add(site)
    return {method: sorted(where) for method, where in sorted(sites.items())}
