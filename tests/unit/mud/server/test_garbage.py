"""Garbage collection: what stays is left out, and what was left out is garbage one day."""

import gc
import weakref

from mud.server.garbage import OLDEST, collect_all, short_collections


class Knot:
    """An object that only a garbage collector frees."""

    def __init__(self) -> None:
        self.itself = self


def test_what_a_full_collection_found_in_use_is_left_out_of_the_next_one() -> None:
    with short_collections():
        kept = [Knot() for _ in range(100)]
        gc.collect()
        assert not any(isinstance(one, Knot) for one in gc.get_objects())
        new = Knot()
        assert any(one is new for one in gc.get_objects())
    assert len(kept) == 100


def test_garbage_is_collected_though_it_was_left_out_before() -> None:
    with short_collections():
        knot = Knot()
        gc.collect()
        gone = weakref.ref(knot)
        del knot
        gc.collect()
        assert gone() is not None
        collect_all()
        assert gone() is None


def test_a_full_collection_goes_through_some_ten_thousand_new_objects_however_many_are_made() -> None:
    usual, sizes = gc.get_threshold(), list[int]()

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start" and info["generation"] == OLDEST:
            sizes.append(len(gc.get_objects()))

    with short_collections():
        gc.callbacks.append(note)
        kept = [Knot() for _ in range(100_000)]
        gc.callbacks.remove(note)
    assert len(kept) == 100_000
    assert len(sizes) > 3
    assert max(sizes) < 30_000
    assert gc.get_threshold() == usual


def test_nothing_is_left_out_any_more_when_a_world_has_ended() -> None:
    with short_collections():
        pass
    new = Knot()
    gc.collect()
    assert any(one is new for one in gc.get_objects())
