"""An image that two teams hand in, over a line that breaks: the short form of `python -m tests.performance images`."""

from tests.performance.bench_images import PIECE, sent_by_two_teams, written_image


def test_an_image_goes_on_where_its_line_broke_and_is_stored_once_for_two_teams(platform, tmp_path):
    size, image_id = written_image(tmp_path / "image.tar", 5 * PIECE)

    sent = sent_by_two_teams(platform, tmp_path / "image.tar", image_id)

    # It went on behind what had arrived before each break, and not at the beginning.
    assert len(sent.broken_at) == 2
    assert size // 3 <= sent.broken_at[0] < 2 * size // 3 <= sent.broken_at[1] < size
