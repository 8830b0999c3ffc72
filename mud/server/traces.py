"""Traces for OpenTelemetry, sent when the environment names a collector; see docs/monitoring.md.

`OTEL_EXPORTER_OTLP_ENDPOINT` is its address, and OpenTelemetry's other variables hold too.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING, Any

from mud.errors import LociError
from mud.tracing import Annotate, Attribute, Begin, spans_begun_by

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

log = logging.getLogger(__name__)

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
FLUSHING = 2.0  # seconds to send the last spans when the world closes


@contextmanager
def tracing(environment: Mapping[str, str]) -> Iterator[None]:
    """Send the spans of the block to the collector that the environment names; without one, nothing is imported.

    They are sent by a thread; those that nobody takes are dropped. The end waits `FLUSHING` seconds at most.

    Raises:
        LociError: the address is none.
    """
    if not environment.get(ENDPOINT):
        yield
        return
    # Imported here because few worlds are traced.
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    try:
        exporter = OTLPSpanExporter()
    except ValueError as error:
        raise LociError(f"{ENDPOINT} is wrong: {environment[ENDPOINT]!r} ({error})") from None
    library = logging.getLogger("opentelemetry")
    level = library.level
    library.setLevel(logging.CRITICAL)  # it logs each failure
    named = Resource({"service.name": "loci"}).merge(OTELResourceDetector().detect())
    provider = TracerProvider(resource=named, shutdown_on_exit=False)
    telling: Any = TellingExporter(exporter, environment[ENDPOINT])
    provider.add_span_processor(BatchSpanProcessor(telling))
    try:
        with spans_begun_by(_beginning(provider.get_tracer("loci"))):
            yield
    finally:
        closing = Thread(target=provider.shutdown, daemon=True)
        closing.start()
        closing.join(FLUSHING)
        exporter.shutdown()  # gives up what is still tried
        library.setLevel(level)


def _beginning(tracer: Any) -> Begin:
    @contextmanager
    def begin(name: str, attributes: Mapping[str, Attribute]) -> Iterator[Annotate]:
        # An exception's text may be private.
        kept = {"record_exception": False, "set_status_on_exception": False}
        with tracer.start_as_current_span(name, attributes=attributes, **kept) as current:

            def note(**more: Attribute) -> None:
                current.set_attributes(more)

            try:
                yield note
            except BaseException as error:
                note(error=type(error).__name__)
                raise

    return begin


class TellingExporter:
    """Passes spans on to an exporter, and logs when they get lost and when they are taken again."""

    def __init__(self, exporter: Any, endpoint: str) -> None:
        self._exporter, self._endpoint = exporter, endpoint
        self._lost = False

    def export(self, spans: Sequence[ReadableSpan]) -> Any:
        result = self._exporter.export(spans)
        if (lost := result.name != "SUCCESS") != self._lost:
            self._lost = lost
            log.warning("traces are %s", f"not taken by {self._endpoint}" if lost else "taken again")
        return result

    def shutdown(self) -> None:
        self._exporter.shutdown()
