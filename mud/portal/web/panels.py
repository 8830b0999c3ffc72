"""What stands beside the story: place, memory, clock, as values for a browser."""

from __future__ import annotations

from mud.portal.portal import Portal
from mud.portal.scene import scene_of


def panels_of(portal: Portal, who: str) -> dict[str, object]:
    """Return what a character has before its eyes, and its memory."""
    scene, memory = scene_of(portal.engine.world, who), portal.memory(who)
    return {
        "scene": scene._asdict() | {
            "ways": [one._asdict() for one in scene.ways], "people": [one._asdict() for one in scene.people]
        } if scene else None,
        "memory": memory._asdict() if memory else None,
    }  # fmt: skip
