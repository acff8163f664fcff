"""Calls every public method of a real collector once, with plain arguments."""

import inspect

# By parameter name; a parameter that is not listed keeps its default, or gets a value of its annotated kind.
ARGUMENTS = {
    "stage": "prefill_forward",
    "category": "forward",
    "outcome": "drained",
    "source": "disk",
    "forward_mode": "decode",
    "count": 1,
    "prefill_compute_tokens": 1,
    "prefill_cache_tokens": 1,
    "decode_tokens": 1,
    "num_new_tokens": 3,
    "num_flops_per_gpu": 1.0,
    "num_read_bytes_per_gpu": 1.0,
    "num_write_bytes_per_gpu": 1.0,
    "cached_tokens": 1,
    "prompt_tokens": 2,
    "dp_cooperation_info": None,
    "cached_tokens_details": None,
    "max_total_num_tokens_swa": None,
    "max_running_requests_under_SLO": None,
    "time_per_output_token": 1.0,
    "spec_verify_ct": 1,
    "is_streaming": True,
    "stream": True,
    "graph_memory_usage_gb": {"decode": 1.0},
    "startup_time": {
        "load_weight": 1.0,
        "kv_cache_allocation": 1.0,
        "scheduler_e2e": 1.0,
        "tokenizer_e2e": 1.0,
        "cuda_graph": {"decode": 1.0},
    },
}
# For one method only.
METHOD_ARGUMENTS = {"increment_scheduler_stage_seconds": {"stage": "idle"}}
# Methods that answer a question, write to a metric that is passed in, or need an option that is off by default.
NOT_WRITERS = {
    "check_time_to_first_token_straggler",
    "increment_eplb_balancedness",
    "init_new",
    "log_histogram",
}


def _by_annotation(annotation):
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    if "str" in text and "Dict" not in text:
        return "x"
    if "bool" in text:
        return True
    return 1


class Zeros:
    """Statistics of which every number is 0."""

    def __getattr__(self, name):
        return 0


def arguments_for(method, given):
    values = {}
    given = {**given, **METHOD_ARGUMENTS.get(method.__name__, {})}
    for name, parameter in inspect.signature(method).parameters.items():
        if name in given:
            values[name] = given[name](parameter) if callable(given[name]) else given[name]
        elif name in ARGUMENTS:
            values[name] = ARGUMENTS[name]
        elif parameter.default is inspect.Parameter.empty:
            values[name] = _by_annotation(parameter.annotation)
    return values


def call_all(collector, given):
    """A method that cannot be called stops the run: its metrics would be missing from the facts."""
    for name, method in inspect.getmembers(collector, inspect.ismethod):
        if name.startswith("_") or name in NOT_WRITERS:
            continue
        try:
            arguments = arguments_for(method, given)
            method(**arguments)
            if arguments.get("value") is True:
                method(**{**arguments, "value": False})
        except Exception as error:
            raise SystemExit(
                f"{type(collector).__name__}.{name} could not be called: {error!r}. "
                "Add its arguments to conformance/python/calls.py."
            ) from error
