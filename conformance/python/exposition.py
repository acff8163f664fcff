"""Turns what a Python process exposes into facts: wire name, type, labels, fixed label values."""

import tempfile


def start_multiprocess():
    """SGLang always runs the client's multi-process mode; call before importing the client."""
    import os

    folder = tempfile.mkdtemp(prefix="pdflow-conformance-")
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
    return folder


def scrape():
    from prometheus_client import CollectorRegistry, generate_latest, multiprocess
    from prometheus_client.parser import text_string_to_metric_families

    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry)
    text = generate_latest(registry).decode()
    return list(text_string_to_metric_families(text))


def families_to_facts(families):
    """`{family: {type, labels, samples}}`; the `le` of a histogram's buckets is not a label of the family."""
    facts = {}
    for family in families:
        labels, samples = set(), set()
        for sample in family.samples:
            labels.update(
                name
                for name in sample.labels
                if name != "le" or family.type != "histogram"
            )
            samples.add(sample.name)
        facts[family.name] = {
            "type": family.type,
            "labels": sorted(labels),
            "samples": sorted(samples),
        }
    return dict(sorted(facts.items()))


def sample_names(families):
    return sorted({sample.name for family in families for sample in family.samples})


def sample_value(families, name, labels):
    total = 0.0
    for family in families:
        for sample in family.samples:
            if sample.name == name and labels.items() <= sample.labels.items():
                total += sample.value
    return total


def label_values(families, label):
    """Every value that a label has, by family."""
    found = {}
    for family in families:
        values = sorted(
            {sample.labels[label] for sample in family.samples if label in sample.labels}
        )
        if values:
            found[family.name] = values
    return dict(sorted(found.items()))
