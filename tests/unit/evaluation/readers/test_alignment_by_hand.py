"""Alignment of two grids: tolerances of dimensions, spacing, directions and positions, and their messages."""

import numpy as np
import pytest

from evaluation.readers import Alignment, Geometry, ReadError, align


def affine(columns, place=(0.0, 0.0, 0.0)):
    """A 4 × 4 matrix as nested tuples, from the step in mm along each axis and the place of the first voxel."""
    rows = np.eye(4)
    rows[:3, :3] = np.transpose(columns)
    rows[:3, 3] = place
    return tuple(map(tuple, rows.tolist()))


def upright(spacing=(1.0, 1.0, 1.0), place=(0.0, 0.0, 0.0)):
    return affine(np.diag(spacing), place)


def volume(shape=(4, 5, 6), spacing=(1.0, 1.0, 1.0), place=(0.0, 0.0, 0.0)):
    return Geometry(shape, spacing, upright(spacing, place), oriented_format=True)


def turned(angle, axes=(0, 1), spacing=1.0):
    """The steps along three axes of which two are turned by an angle in their plane."""
    steps = np.eye(3)
    first, second = axes
    steps[first, [first, second]] = np.cos(angle), np.sin(angle)
    steps[second, [first, second]] = -np.sin(angle), np.cos(angle)
    return steps * spacing


def refused(expected, actual):
    with pytest.raises(ReadError) as error:
        align(expected, actual, file="a")
    return error.value.kind, error.value.found, error.value.expected


def identity(*shape):
    return Alignment(tuple(range(len(shape))), (False,) * len(shape), shape)


class TestDocument:
    def test_what_is_known_of_a_grid_comes_back_from_it(self):
        whole = Geometry((4, 5, 6), (1.0, 2.0, 3.0), upright(), oriented_format=True)
        assert whole.document == {
            "shape": [4, 5, 6],
            "spacing": [1.0, 2.0, 3.0],
            "affine": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
            "oriented_format": True,
        }
        bare = Geometry((4, 5))
        assert bare.document == {"shape": [4, 5], "spacing": None, "affine": None, "oriented_format": False}
        assert [Geometry.of(grid.document) for grid in (whole, bare)] == [whole, bare]

    def test_an_unknown_spacing_is_1_along_every_axis(self):
        assert Geometry((4, 5, 6)).spacing_or_unit == (1.0, 1.0, 1.0)
        assert Geometry((4, 5), (2.0, 3.0)).spacing_or_unit == (2.0, 3.0)


class TestArrays:
    ARRAY = np.arange(6).reshape(2, 3)

    def test_axes_are_ordered_then_mirrored(self):
        assert Alignment((0, 1), (False, False), (2, 3)).apply(self.ARRAY).tolist() == [[0, 1, 2], [3, 4, 5]]
        assert Alignment((1, 0), (False, False), (2, 3)).apply(self.ARRAY).tolist() == [[0, 3], [1, 4], [2, 5]]
        assert Alignment((1, 0), (True, False), (2, 3)).apply(self.ARRAY).tolist() == [[2, 5], [1, 4], [0, 3]]
        assert Alignment((0, 1), (False, True), (2, 3)).apply(self.ARRAY).tolist() == [[2, 1, 0], [5, 4, 3]]

    def test_an_axis_of_one_slice_is_added_or_taken_away(self):
        assert Alignment((0, 1, 2), (False,) * 3, (2, 3, 1)).apply(self.ARRAY).tolist() == [
            [[0], [1], [2]],
            [[3], [4], [5]],
        ]
        flat = Alignment((0, 1), (False, False), (2, 3)).apply(self.ARRAY[:, :, None])
        assert flat.tolist() == [[0, 1, 2], [3, 4, 5]]


class TestDimensions:
    def test_a_picture_and_a_volume_of_one_slice_are_the_same(self):
        picture, slice_ = Geometry((4, 5), (1.0, 2.0)), Geometry((4, 5, 1), (1.0, 2.0, 7.0))
        assert align(picture, picture, file="a") == identity(4, 5)
        assert align(slice_, slice_, file="a") == identity(4, 5, 1)
        assert align(picture, slice_, file="a") == identity(4, 5)
        assert align(slice_, picture, file="a") == identity(4, 5, 1)

    def test_the_spacing_within_the_slice_is_compared(self):
        slice_ = Geometry((4, 5, 1), (1.0, 2.0, 7.0))
        assert refused(Geometry((4, 5), (1.0, 3.0)), slice_) == ("spacing", "voxels of 1 × 2 mm", "1 × 3 mm")
        assert refused(slice_, Geometry((4, 5), (1.0, 3.0))) == ("spacing", "voxels of 1 × 3 × 7 mm", "1 × 2 × 7 mm")

    @pytest.mark.parametrize(
        ("expected", "actual"),
        [((4, 5), (4, 5, 2)), ((4, 5), (4, 1, 5)), ((4, 5, 2), (4, 5)), ((4, 5), (4, 6)), ((4, 5, 6), (4, 5, 7))],
    )
    def test_any_other_difference_is_one_of_shape(self, expected, actual):
        words = [" × ".join(map(str, shape)) + " voxels" for shape in (actual, expected)]
        assert refused(Geometry(expected), Geometry(actual)) == ("shape", *words)

    def test_a_picture_in_space_lies_on_a_slice_in_space_also_the_other_way_round(self):
        picture = Geometry((4, 5), (1.0, 2.0), upright((1.0, 2.0, 1.0)), oriented_format=True)
        assert align(picture, volume((4, 5, 1), (1.0, 2.0, 9.0)), file="a") == identity(4, 5)
        assert align(volume((4, 5, 1), (1.0, 2.0, 9.0)), picture, file="a") == identity(4, 5, 1)
        mirrored = Geometry(
            (5, 4, 1), (2.0, 1.0, 9.0), affine([[0, 2, 0], [-1, 0, 0], [0, 0, 9]], (3, 0, 0)), oriented_format=True
        )
        assert align(picture, mirrored, file="a") == Alignment((1, 0), (True, False), (5, 4))


class TestOrientation:
    def test_where_neither_or_only_the_file_tells_one_shape_and_spacing_decide(self):
        bare = Geometry((4, 5, 6), (1.0, 1.0, 1.0), None, oriented_format=True)
        for expected, actual in ((bare, bare), (bare, volume(place=(9.0, 9.0, 9.0)))):
            assert align(expected, actual, file="a") == identity(4, 5, 6)
        assert refused(bare, volume(spacing=(1.0, 1.0, 2.0)))[0] == "spacing"
        assert refused(bare, volume((4, 5, 7)))[0] == "shape"

    def test_a_file_has_to_tell_one_if_its_format_can(self):
        silent = Geometry((4, 5, 6), (1.0, 1.0, 1.0), None, oriented_format=True)
        refusal = refused(volume(), silent)
        assert refusal == ("orientation", "the header gives no orientation", "run right, front and up")
        unable = Geometry((4, 5, 6), (1.0, 1.0, 1.0))
        assert align(volume(), unable, file="a") == identity(4, 5, 6)
        assert refused(volume(), Geometry((4, 5, 6), (1.0, 1.0, 2.0)))[0] == "spacing"
        assert align(volume(), Geometry((4, 5, 6)), file="a") == identity(4, 5, 6)

    @pytest.mark.parametrize(("sine", "mixed"), [(0.0499, False), (0.0501, True), (-0.0501, True)])
    def test_axes_that_mix_by_more_than_a_twentieth_are_others(self, sine, mixed):
        shape = (100, 100, 6)
        actual = Geometry(shape, (1.0,) * 3, affine(turned(np.arcsin(sine))), oriented_format=True)
        kind, refusal, expected = refused(volume(shape), actual)
        assert (kind, expected.partition(", and a")[0]) == ("orientation", "run right, front and up")
        # A turn by 2.86° moves the far corner of 100 voxels by five of them.
        assert ("which moves a corner by" not in refusal) == mixed

    def test_a_turn_tells_how_far_it_moves_the_corner_that_moves_most(self):
        shape = (31, 41, 6)
        actual = Geometry(shape, (1.0,) * 3, affine(turned(0.04)), oriented_format=True)
        # The corner at (30, 40) lies 50 mm from the axis: it moves along the chord, 2 · 50 · sin(0.02) = 1.9999 mm.
        # Of these, 40 · sin(0.04) + 30 · (1 − cos(0.04)) = 1.6236 lie along the first axis.
        assert ", which moves a corner by 2 mm (1.62 voxels)" in refused(volume(shape), actual)[1]

    def test_an_axis_without_a_direction_is_no_orientation(self):
        flat = Geometry((4, 5, 6), (1.0,) * 3, affine([[1, 0, 0], [0, 1, 0], [0, 0, 0]]), oriented_format=True)
        assert refused(volume(), flat)[0] == "orientation"

    @pytest.mark.parametrize(
        ("columns", "words"),
        [
            ([[2, 0, 0], [0, 2, 0], [0, 0, 2]], "run right, front and up"),
            ([[-2, 0, 0], [0, -2, 0], [0, 0, -2]], "run left, back and down"),
            ([[0, 0, 0.5], [0.5, 0, 0], [0, -0.5, 0]], "run up, right and back"),
            (turned(1e-4), "run right, front and up"),
            (turned(2e-3), "run right, front and up along (1, 0.002, 0), (-0.002, 1, 0), (0, 0, 1)"),
            (
                [[2, 0, 0], [1.6, -1.2, 0], [0, 0, -2]],
                "run right, right and down along (1, 0, 0), (0.8, -0.6, 0), (0, 0, -1)",
            ),
        ],
    )
    def test_the_axes_of_the_reference_are_told_in_words(self, columns, words):
        expected = Geometry((4, 5, 6), (2.0,) * 3, affine(columns), oriented_format=True)
        silent = Geometry((4, 5, 6), (2.0,) * 3, None, oriented_format=True)
        assert refused(expected, silent)[2] == words


class TestSpacing:
    @pytest.mark.parametrize(("spacing", "fits"), [(1001.0, True), (999.0, True), (1001.01, False), (998.99, False)])
    def test_it_differs_by_a_thousandth_at_most(self, spacing, fits):
        expected, actual = Geometry((4, 5), (1000.0, 1.0)), Geometry((4, 5), (spacing, 1.0))
        if fits:
            assert align(expected, actual, file="a") == identity(4, 5)
        else:
            assert refused(expected, actual) == ("spacing", f"voxels of {spacing:.6g} × 1 mm", "1000 × 1 mm")

    def test_each_axis_is_compared_with_its_partner(self):
        expected = volume((4, 4, 4), (1.0, 2.0, 3.0))
        steps = [[0, 2, 0], [0, 0, 3], [1, 0, 0]]
        fitting = Geometry((4, 4, 4), (2.0, 3.0, 1.0), affine(steps), oriented_format=True)
        assert align(expected, fitting, file="a") == Alignment((2, 0, 1), (False,) * 3, (4, 4, 4))
        other = Geometry((4, 4, 4), (1.0, 2.0, 3.0), affine(steps), oriented_format=True)
        assert refused(expected, other)[0] == "spacing"


class TestPlaces:
    """Tolerance: half a voxel along each axis and a millionth of the distance of both from the origin."""

    @pytest.mark.parametrize("axis", [0, 1, 2])
    @pytest.mark.parametrize("share", [-0.4999, 0.4999, 0.5001, -0.5001])
    def test_half_a_voxel_along_each_axis(self, axis, share):
        spacing = np.array([3.0, 1.0, 2.0])
        actual = volume(spacing=tuple(spacing), place=np.eye(3)[axis] * share * spacing)
        if abs(share) < 0.5:
            alignment = align(volume(spacing=tuple(spacing)), actual, file="a")
            assert alignment == identity(4, 5, 6)
            assert alignment.shift.is_noted
            assert alignment.shift.voxels == pytest.approx(abs(share), abs=1e-5)
            assert alignment.shift.millimetres == pytest.approx(abs(share) * spacing[axis], abs=1e-9)
        else:
            assert refused(volume(spacing=tuple(spacing)), actual)[0] == "origin"

    def test_the_ordinary_rounding_of_headers_is_not_noted(self):
        assert not align(volume(), volume(place=(0.00099, 0.0, 0.0)), file="a").shift.is_noted
        assert align(volume(), volume(place=(0.00101, 0.0, 0.0)), file="a").shift.is_noted

    @pytest.mark.parametrize("axis", [0, 1, 2])
    @pytest.mark.parametrize("side", [-1, 1])
    def test_far_from_it_a_millionth_of_both_distances_more(self, axis, side):
        # Half of 100 mm, and a millionth of 500 km and 500 km: 51 mm.
        far = np.eye(3)[axis] * side * 500_000
        across = np.eye(3)[axis - 1]
        expected = volume(spacing=(100.0, 100.0, 100.0), place=far)
        allowed = volume(spacing=(100.0, 100.0, 100.0), place=far + 50.99 * across)
        assert align(expected, allowed, file="a") == identity(4, 5, 6)
        assert refused(expected, volume(spacing=(100.0, 100.0, 100.0), place=far + 51.01 * across))[0] == "origin"

    def test_corners_that_move_differently_are_a_matter_of_the_axes(self):
        # 1025 voxels of 1.00048828125 mm reach half a voxel further than such of 1 mm.
        expected = volume((1025, 2, 2))

        def stretched(step):
            return Geometry((1025, 2, 2), (1.0,) * 3, upright((step, 1.0, 1.0)), oriented_format=True)

        assert align(expected, stretched(1.00048), file="a").shift.voxels == pytest.approx(0.49152)
        kind, refusal, _ = refused(expected, stretched(1.00048828125 + 1e-8))
        assert (kind, refusal.endswith("which moves a corner by 0.5 mm (0.5 voxels)")) == ("orientation", True)

    def test_the_distance_and_both_places_are_told(self):
        actual = volume(place=(-0.0, 3.0, -4.0))
        refusal = refused(volume(place=(0.0, 0.0, 0.5)), actual)
        # From 0.5 to -4 and from 0 to 3: the root of 20.25 + 9.
        assert refusal == (
            "origin",
            "the volume lies 5.408 mm away (4.5 voxels), with its first voxel at (0, 3, -4) mm",
            "the first voxel at (0, 0, 0.5) mm, and a shift below half a voxel",
        )

    def test_across_a_picture_half_its_smallest_side(self):
        def picture(height):
            return Geometry((4, 5), (1.0, 2.0), upright((1.0, 2.0, 1.0), (0, 0, height)), oriented_format=True)

        assert align(picture(0), picture(0.49), file="a").shift.voxels == pytest.approx(0.49)
        assert refused(picture(0), picture(0.51))[0] == "origin"

    def test_an_axis_that_runs_back_begins_at_the_last_voxel(self):
        expected = volume(spacing=(2.0, 1.0, 1.0))
        back = affine([[-2, 0, 0], [0, 1, 0], [0, 0, 1]], (6, 0, 0))
        actual = Geometry((4, 5, 6), (2.0, 1.0, 1.0), back, oriented_format=True)
        assert align(expected, actual, file="a") == Alignment((0, 1, 2), (True, False, False), (4, 5, 6))
        late = Geometry(
            (4, 5, 6), (2.0, 1.0, 1.0), affine([[-2, 0, 0], [0, 1, 0], [0, 0, 1]], (8, 0, 0)), oriented_format=True
        )
        assert refused(expected, late)[:2] == (
            "origin",
            "the volume lies 2 mm away (1 voxel), with its first voxel at (8, 0, 0) mm",
        )

    def test_the_same_matrix_and_shape_need_no_other_comparison(self):
        odd = Geometry((4, 5, 6), (9.0, 9.0, 9.0), upright(), oriented_format=True)
        assert align(volume(), odd, file="a") == identity(4, 5, 6)
        assert refused(volume(), Geometry((4, 5, 7), (1.0,) * 3, upright(), oriented_format=True))[0] == "shape"
