"""Facts of one SGLang release: `collect.py <sources> <disaggregation mode> [engine-type]` prints JSON.

The release's own metrics collectors are built and written to, then scraped with
the Prometheus client in the multi-process mode that SGLang uses.
"""

import importlib
import json
import sys

import calls
import exposition
import stand_ins
from sources import (
    Release,
    borrow,
    building_statements,
    counter_call_sites,
    decode_log_interval,
    idle_refresh_seconds,
    named_stages,
)

MODEL = "model"
WATCHED_METHODS = (
    "increment_bootstrap_failed_reqs",
    "increment_transfer_failed_reqs",
    "increment_realtime_tokens",
    "increment_decode_cuda_graph_pass",
    "increment_prefill_cuda_graph_pass",
    "increment_scheduler_stage_seconds",
    "observe_kv_transfer_metrics",
    "observe_one_aborted_request",
    "observe_one_finished_request",
    "observe_inter_token_latency",
    "observe_queue_time",
    "log_stats",
)


def server_settings(role):
    return stand_ins.Settings(
        served_model_name=MODEL,
        disaggregation_mode=role,
        enable_metrics=True,
        enable_metrics_for_all_schedulers=False,
        tp_rank=0,
        pp_rank=0,
        moe_ep_rank=0,
        attn_tp_rank=0,
        attn_cp_rank=0,
        prefill_delayer_max_delay_passes=30,
        should_export_expert_balancedness_to_prometheus=lambda: False,
        is_config_namespace_published=lambda name: False,
    )


def provide_imports(release, settings):
    """The few imports whose values reach a label or a branch of the metrics code."""
    import enum

    utils = release.first("disaggregation/utils.py")
    mode = borrow(utils, "DisaggregationMode", given={"Enum": enum.Enum})
    stand_ins.provide("sglang.srt.disaggregation.utils", **mode)
    getters = {
        name: (lambda: settings)
        for name in (
            "get_context",
            "get_disagg",
            "get_observability",
            "get_parallel",
            "get_schedule",
            "get_serving",
        )
    }
    stand_ins.provide(
        "sglang.srt.runtime_context",
        exports_expert_balancedness_to_prometheus=lambda: False,
        **getters,
    )
    return mode["DisaggregationMode"]


def build_scheduler(release, collector_module, settings, mode):
    cls = collector_module.SchedulerMetricsCollector
    if hasattr(cls, "init_new"):
        given = {
            "server_args": settings,
            "enable_priority_scheduling": False,
            "enable_lora": False,
            "enable_hierarchical_cache": False,
        }
        arguments = calls.arguments_for(cls.init_new, {**given, **_ranks()})
        return cls.init_new(**arguments).collector, release.collector_file
    path = release.first(
        "observability/scheduler_metrics_mixin.py",
        "managers/scheduler_metrics_mixin.py",
        "managers/scheduler.py",
    )
    collector = _run_building_block(
        path, {"SchedulerMetricsCollector"}, collector_module, settings, mode
    )
    return collector, path


def build_tokenizer(release, collector_module, settings, mode):
    path = release.first("managers/tokenizer_manager.py")
    names = {"TokenizerMetricsCollector", "tokenizer_collector_cls"}
    collector = _run_building_block(path, names, collector_module, settings, mode)
    return collector, path


def _ranks():
    return {
        name: 0
        for name in (
            "tp_rank",
            "pp_rank",
            "moe_ep_rank",
            "attn_tp_rank",
            "attn_cp_rank",
        )
    } | {"dp_rank": None, "ps": stand_ins.Settings(**{
        "tp_rank": 0,
        "pp_rank": 0,
        "moe_ep_rank": 0,
        "attn_tp_rank": 0,
        "attn_cp_rank": 0,
    })}


def _run_building_block(path, names, collector_module, settings, mode):
    block = building_statements(path, names)
    if block is None:
        raise SystemExit(f"{path.name} does not build any of {sorted(names)} any more.")
    manager = stand_ins.Settings(
        server_args=settings,
        enable_metrics=True,
        disaggregation_mode=mode(settings.disaggregation_mode),
        moe_ep_rank=0,
    )
    namespace = {
        **vars(collector_module),
        "DisaggregationMode": mode,
        "self": manager,
        "server_args": settings,
        "tp_rank": 0,
        "pp_rank": 0,
        "dp_rank": None,
        **{
            getter: (lambda: settings)
            for getter in ("get_disagg", "get_observability", "get_serving", "get_schedule")
        },
    }
    exec(compile(block, str(path), "exec"), namespace)
    return manager.metrics_collector


def stats_for(collector_module):
    def choose(parameter):
        if "DPBalanceStats" in str(parameter.annotation):
            return collector_module.DPBalanceStats(
                local_tokens=1,
                max_tokens=2,
                sum_tokens=3,
                local_attention_pairs=1,
                max_attention_pairs=2,
                num_ranks=2,
                sync_wait_seconds=0.1,
            )
        return collector_module.SchedulerStats()

    return choose


def main(root, role, only=None):
    exposition.start_multiprocess()
    stand_ins.install(root)
    release = Release(root)
    settings = server_settings(role)
    mode = provide_imports(release, settings)
    collector_module = importlib.import_module(
        release.module_name(release.collector_file)
    )

    scheduler, scheduler_path = build_scheduler(
        release, collector_module, settings, mode
    )
    engine_type = scheduler.labels.get("engine_type")
    if only == "engine-type":
        print(json.dumps({"engineType": engine_type}))
        return
    at_start = exposition.sample_names(exposition.scrape())
    calls.call_all(
        scheduler,
        {
            "stats": stats_for(collector_module),
            "grammar_stats": calls.Zeros(),
        },
    )
    scheduler_families = exposition.scrape()
    known = {family.name for family in scheduler_families}

    tokenizer, tokenizer_path = build_tokenizer(
        release, collector_module, settings, mode
    )
    calls.call_all(tokenizer, {"labels": tokenizer.labels})
    tokenizer_families = [f for f in exposition.scrape() if f.name not in known]

    inter_token_count = exposition.sample_value(
        tokenizer_families, "sglang:inter_token_latency_seconds_count", {}
    )
    stage_path, stages = named_stages(release)
    print(
        json.dumps(
            {
                "engineType": engine_type,
                "scheduler": exposition.families_to_facts(scheduler_families),
                "schedulerAtStart": at_start,
                "tokenizer": exposition.families_to_facts(tokenizer_families),
                "modes": exposition.label_values(scheduler_families, "mode"),
                "categories": exposition.label_values(scheduler_families, "category"),
                "stages": {
                    "counted": sorted(
                        value for value, count in stages.values() if count
                    ),
                    "namedOnly": sorted(
                        value for value, count in stages.values() if not count
                    ),
                },
                # One observation of three new tokens was made.
                "interTokenCountForThreeTokens": inter_token_count,
                "decodeLogInterval": decode_log_interval(release),
                "idleRefreshSeconds": idle_refresh_seconds(release),
                "writtenFrom": counter_call_sites(release, WATCHED_METHODS),
                "modules": {
                    "collector": release.relative(release.collector_file),
                    "schedulerLabels": release.relative(scheduler_path),
                    "tokenizerLabels": release.relative(tokenizer_path),
                    **(
                        {"stages": release.relative(stage_path)}
                        if stage_path and stages
                        else {}
                    ),
                },
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
