"""How chunk and page scores become one ranking."""

import pytest

from app.corpus.index.ranking import BEST_CHUNKS, DECAY, PAGE_SHARE, ranked


def test_a_pages_score_is_that_of_its_best_chunks_and_its_own() -> None:
    hits = ranked([(1, 10, 8.0), (2, 10, 4.0), (3, 10, 2.0), (4, 10, 1.0)], {10: 6.0}, 9)
    assert BEST_CHUNKS == 3
    assert hits[0].page_score == pytest.approx(8 + 4 * DECAY + 2 * DECAY**2 + 6 * PAGE_SHARE)
    assert {hit.page_score for hit in hits} == {hits[0].page_score}


def test_a_page_that_only_its_chunks_found_gets_the_lowest_page_score() -> None:
    hits = ranked([(1, 10, 8.0), (2, 20, 8.0)], {10: 6.0, 30: 2.0}, 9)
    assert [hit.page_score for hit in hits] == pytest.approx([8 + 3, 8 + 1])


def test_chunks_are_ordered_by_their_own_and_their_pages_share_of_the_best() -> None:
    hits = ranked([(1, 10, 10.0), (2, 20, 9.0)], {10: 0.0, 20: 20.0}, 9)
    assert [hit.chunk_id for hit in hits] == [2, 1]
    assert hits[0].score == pytest.approx(0.9 + 1)
    assert hits[1].score == pytest.approx(1 + 10 / 19)


def test_equal_scores_keep_a_stable_order_and_the_limit_is_kept() -> None:
    hits = ranked([(3, 30, 1.0), (1, 10, 1.0), (2, 20, 1.0)], {}, 2)
    assert [hit.chunk_id for hit in hits] == [1, 2]


def test_nothing_found_is_nothing_ranked() -> None:
    assert ranked([], {1: 2.0}, 5) == ()
