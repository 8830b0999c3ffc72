"""What Prometheus reads, as a test or a bench compares it."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families


def figures(exposition: str) -> dict[str, float]:
    """Return every sample of a page of metrics by its name and the values of its labels, by their names."""
    found: dict[str, float] = {}
    for family in text_string_to_metric_families(exposition):
        for sample in family.samples:
            found[" ".join([sample.name, *(value for _, value in sorted(sample.labels.items()))])] = sample.value
    return found
