"""Fields, landmarks and pairs of images, by hand: in pieces, with regions and clipping, at the edges of what is taken."""

import math
import os
import sys
from unittest import mock

import numpy as np
import pytest

from evaluation import metrics
from evaluation.metrics import nearest
from evaluation.metrics.deformations import jacobian_determinants, sample_field, sample_labels, warp_labels
from evaluation.metrics.image_similarity import ssim_of_regions
from evaluation.metrics.landmarks import combined, count_found, count_identified
from evaluation.metrics.structural_similarity import Window, mean_similarities, similarity_map
from evaluation.outcomes import Flag, Outcome

NAN = math.nan
BY_REFERENCE = (Outcome.DEGENERATE, Flag.REFERENCE)
BY_PREDICTION = (Outcome.DEGENERATE, Flag.NONE)


def reason(result):
    return result.outcome, result.flag


def plain_similarity(a, b, weights, constants, factor):
    """Evaluate the formula by loops at every position of a complete window; ``weights`` are those of one axis."""
    size = len(weights)
    kernel = weights
    for _ in range(a.ndim - 1):
        kernel = np.multiply.outer(kernel, weights)
    result = np.zeros([length - size + 1 for length in a.shape])
    for position in np.ndindex(result.shape):
        cut = tuple(slice(start, start + size) for start in position)
        mean_a, mean_b = (kernel * a[cut]).sum(), (kernel * b[cut]).sum()
        var_a, var_b = ((kernel * (x[cut] - m) ** 2).sum() * factor for x, m in ((a, mean_a), (b, mean_b)))
        both = (kernel * (a[cut] - mean_a) * (b[cut] - mean_b)).sum() * factor
        upper = (2 * mean_a * mean_b + constants[0]) * (2 * both + constants[1])
        result[position] = upper / ((mean_a**2 + mean_b**2 + constants[0]) * (var_a + var_b + constants[1]))
    return result


def two_images(shape, seed=0):
    random = np.random.default_rng(seed)
    image = random.normal(50, 20, shape)
    return image, image + random.normal(0, 10, shape)


class TestWindows:
    CONSTANTS = ((0.01 * 200) ** 2, (0.03 * 200) ** 2)

    @pytest.mark.parametrize("size", [3, 5, 7, 9])
    @pytest.mark.parametrize("is_sample", [True, False])
    def test_equal_weights(self, size, is_sample):
        a, b = two_images((11, 10))
        number = size**2
        window = Window(size, None, is_sample)
        assert (window.rim, window.factor(2)) == ((size - 1) // 2, number / (number - 1) if is_sample else 1.0)
        expected = plain_similarity(a, b, np.full(size, 1 / size), self.CONSTANTS, window.factor(2))
        np.testing.assert_allclose(similarity_map(a, b, window, self.CONSTANTS), expected, rtol=1e-9)

    @pytest.mark.parametrize(("size", "sigma"), [(3, 0.5), (5, 0.8), (7, 2.0)])
    def test_weights_of_a_gaussian(self, size, sigma):
        a, b = two_images((8, 9))
        places = np.arange(size) - size // 2
        weights = np.exp(-(places**2) / (2 * sigma**2))
        window = Window(size, sigma, is_sample=False)
        expected = plain_similarity(a, b, weights / weights.sum(), self.CONSTANTS, 1.0)
        np.testing.assert_allclose(similarity_map(a, b, window, self.CONSTANTS), expected, rtol=1e-9)

    def test_in_three_dimensions(self):
        a, b = two_images((5, 4, 6))
        expected = plain_similarity(a, b, np.full(3, 1 / 3), self.CONSTANTS, 27 / 26)
        np.testing.assert_allclose(similarity_map(a, b, Window(3), self.CONSTANTS), expected, rtol=1e-9)

    @pytest.mark.parametrize("piece", [1, 40, 60])
    def test_slabs_put_together_are_the_whole_map(self, piece):
        a, b = two_images((23, 10))
        whole = plain_similarity(a, b, np.full(3, 1 / 3), self.CONSTANTS, 9 / 8)
        region = np.random.default_rng(1).random((23, 10)) < 0.3
        nowhere, rim_only = np.zeros((2, 23, 10), dtype=bool)
        rim_only[0], rim_only[:, -1] = True, True
        with mock.patch("evaluation.metrics.structural_similarity._PIECE", piece):
            result = mean_similarities(a, b, [None, region, nowhere, rim_only], Window(3), self.CONSTANTS)
        assert result[:2] == pytest.approx([whole.mean(), whole[region[1:-1, 1:-1]].mean()], rel=1e-9)
        assert result[2:] == [None, None]
        # Only where a region lies anything has to be computed.
        late = np.zeros((23, 10), dtype=bool)
        late[20, 4] = True
        with mock.patch("evaluation.metrics.structural_similarity._PIECE", piece):
            assert mean_similarities(a, b, [late], Window(3), self.CONSTANTS) == pytest.approx([whole[19, 3]])

    def test_an_image_as_large_as_the_window_has_one_place(self):
        a, b = two_images((3, 3))
        assert mean_similarities(a, b, [None], Window(3), self.CONSTANTS) == pytest.approx(
            [plain_similarity(a, b, np.full(3, 1 / 3), self.CONSTANTS, 9 / 8).item()]
        )
        assert mean_similarities(a[:2], b[:2], [None], Window(3), self.CONSTANTS) == [None]


class TestStructuralSimilarity:
    @pytest.mark.parametrize(
        ("options", "size", "sigma", "is_sample"),
        [
            ({}, 7, None, True),
            ({"size": 3}, 3, None, True),
            ({"covariance": "population"}, 7, None, False),
            ({"covariance": "sample"}, 7, None, True),
            # int(3.5 * 1.5 + 0.5) = 5 and int(3.5 * 0.7 + 0.5) = 2 voxels to each side.
            ({"window": "gaussian"}, 11, 1.5, False),
            ({"window": "gaussian", "sigma": 0.7}, 5, 0.7, False),
            ({"window": "gaussian", "sigma": 0.7, "covariance": "sample"}, 5, 0.7, True),
            ({"window": "gaussian", "sigma": 0.7, "covariance": "population"}, 5, 0.7, False),
        ],
    )
    def test_windows_are_those_of_the_options(self, options, size, sigma, is_sample):
        a, b = two_images((13, 12))
        weights = np.ones(size) if sigma is None else np.exp(-((np.arange(size) - size // 2) ** 2) / (2 * sigma**2))
        factor = size**2 / (size**2 - 1) if is_sample else 1.0
        constants = ((0.01 * 120) ** 2, (0.03 * 120) ** 2)
        expected = plain_similarity(a, b, weights / weights.sum(), constants, factor).mean()
        similarity = metrics.ssim(a, b, data_range=(-20, 100), **options)
        assert similarity.value == pytest.approx(expected, rel=1e-9)

    def test_constants_and_clipping(self):
        a, b = two_images((6, 6))
        expected = plain_similarity(a, b, np.full(3, 1 / 3), ((0.2 * 10) ** 2, (0.1 * 10) ** 2), 9 / 8).mean()
        assert metrics.ssim(a, b, data_range=(45, 55), size=3, k1=0.2, k2=0.1).value == pytest.approx(
            expected, rel=1e-9
        )
        low, high = np.clip(a, 45, 55), np.clip(b, 45, 55)
        expected = plain_similarity(low, high, np.full(3, 1 / 3), (0.1**2, 0.3**2), 9 / 8).mean()
        assert metrics.ssim(a, b, data_range=(45, 55), size=3, clip=True).value == pytest.approx(expected, rel=1e-9)

    @pytest.mark.parametrize("options", [{}, {"window": "gaussian"}])
    def test_several_regions_are_judged_with_the_settings_of_one(self, options):
        a, b = two_images((13, 12))
        half = np.arange(13)[:, None] + np.zeros(12) < 7
        found = ssim_of_regions(a, b, [None, half], data_range=(0, 40), **options)
        alone = [metrics.ssim(a, b, region=region, data_range=(0, 40), **options).value for region in (None, half)]
        assert [result.value for result in found] == pytest.approx(alone, rel=1e-12)

    def test_slices_lie_along_the_last_axis_and_only_those_with_the_region_count(self):
        a, b = two_images((5, 6, 4))
        of_slices = [metrics.ssim(a[..., z], b[..., z], data_range=(0, 100), size=3).value for z in range(4)]
        sliced = {"data_range": (0, 100), "size": 3, "dimensions": "slices"}
        assert metrics.ssim(a, b, **sliced).value == pytest.approx(np.mean(of_slices))
        region = np.zeros(a.shape)
        region[1:4, 1:5, 1] = region[1:4, 1:5, 2] = 1
        assert metrics.ssim(a, b, region=region, **sliced).value == pytest.approx(np.mean(of_slices[1:3]))
        # A plane has no slices.
        assert metrics.ssim(a[..., 0], b[..., 0], **sliced).value == pytest.approx(of_slices[0])

    def test_channels_of_slices_are_averaged_in_each_slice(self):
        a, b = two_images((5, 6, 3, 2))
        sliced = {"data_range": (0, 100), "size": 3, "dimensions": "slices"}
        expected = [metrics.ssim(a[..., c], b[..., c], **sliced).value for c in (0, 1)]
        assert metrics.ssim(a, b, channels=True, **sliced).value == pytest.approx(np.mean(expected))
        # Two dimensions and channels are a plane.
        plane = [metrics.ssim(a[:, :, 0, c], b[:, :, 0, c], data_range=(0, 100), size=3).value for c in (0, 1)]
        assert metrics.ssim(a[:, :, 0], b[:, :, 0], channels=True, **sliced).value == pytest.approx(np.mean(plane))

    def test_opposite_images_of_no_mean_are_as_unlike_as_can_be(self):
        image = np.array([[1.0, -1, 0], [0, 1, -1], [-1, 0, 1]]) * 1e3
        assert metrics.ssim(image, -image, data_range=(0, 1e-3), size=3).value == pytest.approx(-1)
        assert metrics.ssim(image, image, data_range=(0, 1e-3), size=3).value == 1.0


class TestIntensities:
    REFERENCE = np.array([[0.0, 10.0], [20.0, 30.0]])
    PREDICTION = np.array([[1.0, 8.0], [20.0, 34.0]])
    REGION = np.array([[2, 1], [0, 0]])

    @pytest.mark.parametrize(
        ("name", "value", "in_region"),
        [
            ("image_mae", 7 / 4, 3 / 2),
            ("image_rmse", math.sqrt(21 / 4), math.sqrt(5 / 2)),
            ("nmse", 21 / 1400, 5 / 100),
            ("psnr", 10 * math.log10(100**2 * 4 / 21), 10 * math.log10(100**2 * 2 / 5)),
            ("ncc", np.corrcoef([0, 10, 20, 30], [1, 8, 20, 34])[0, 1], 1.0),
        ],
    )
    def test_over_the_image_and_over_a_region(self, name, value, in_region):
        measure = getattr(metrics, name)
        given = {"data_range": (-20, 80)}
        assert measure(self.REFERENCE, self.PREDICTION, **given).value == pytest.approx(value)
        assert measure(self.REFERENCE, self.PREDICTION, region=self.REGION, **given).value == pytest.approx(in_region)
        assert reason(measure(self.REFERENCE, self.PREDICTION, region=np.zeros((2, 2)), **given)) == BY_REFERENCE

    def test_clipping_moves_what_lies_outside_to_the_ends(self):
        # 5, 10, 20, 25 against 5, 8, 20, 25.
        clipped = {"data_range": (5, 25), "clip": True}
        assert metrics.image_mae(self.REFERENCE, self.PREDICTION, **clipped).value == 0.5
        assert metrics.image_rmse(self.REFERENCE, self.PREDICTION, **clipped).value == 1.0
        assert metrics.nmse(self.REFERENCE, self.PREDICTION, **clipped).value == pytest.approx(
            4 / (25 + 100 + 400 + 625)
        )
        assert metrics.psnr(self.REFERENCE, self.PREDICTION, **clipped).value == pytest.approx(10 * math.log10(400))

    def test_a_range_is_two_numbers_the_lower_first(self):
        for wrong in (None, (1, 1), (2, 1)):
            with pytest.raises(ValueError, match="the data range is two numbers, the lower first"):
                metrics.psnr(self.REFERENCE, self.PREDICTION, data_range=wrong)
        with pytest.raises(ValueError, match="the data range"):
            metrics.image_mae(self.REFERENCE, self.PREDICTION, clip=True)
        with pytest.raises(ValueError, match="a prediction of shape"):
            metrics.image_mae(self.REFERENCE, self.PREDICTION[0])

    def test_equal_images_have_no_noise(self):
        same = metrics.psnr(self.REFERENCE, self.REFERENCE, data_range=(0, 30))
        assert reason(same) == (Outcome.DEGENERATE, Flag.UNBOUNDED)
        assert metrics.psnr([0.0], [10.0], data_range=(0, 1)).value == pytest.approx(-20)

    def test_a_constant_image_has_no_correlation(self):
        assert reason(metrics.ncc(np.ones(3), np.arange(3))) == BY_REFERENCE
        assert reason(metrics.ncc(np.arange(3), np.ones(3))) == BY_PREDICTION
        assert metrics.ncc([1, 2, 3], [3, 2, 1]).value == pytest.approx(-1)


class TestLandmarks:
    REFERENCE = np.array([[0.0, 0], [10, 0], [0, 10], [NAN, NAN]])
    PREDICTION = np.array([[3.0, 4], [10, 12], [NAN, NAN], [0, 0]])

    def test_errors_of_one_case(self):
        assert metrics.radial_error(self.REFERENCE, self.PREDICTION, penalty=1).value == pytest.approx(18 / 3)
        assert metrics.radial_error(self.REFERENCE, self.PREDICTION, penalty=1, operator="median").value == 5
        assert metrics.radial_error(self.REFERENCE, self.PREDICTION, penalty=99, operator="max").value == 99
        assert [combined(np.array([1.0, 2, 9]), operator) for operator in ("mean", "median", "max")] == [4, 2, 9]

    def test_what_lies_on_the_circle_is_found(self):
        assert count_found(self.REFERENCE, self.PREDICTION, radius=5) == (1, 3)
        assert count_found(self.REFERENCE, self.PREDICTION, radius=4.9) == (0, 3)
        assert count_found(self.REFERENCE, self.PREDICTION, radius=12) == (2, 3)

    def test_what_lies_nearer_to_another_is_not_identified(self):
        # The second lies 12 from its own and sqrt(104) from the third; the first is nearest to its own.
        assert count_identified(self.REFERENCE, self.PREDICTION, radius=20) == (1, 3)
        assert count_identified(self.REFERENCE, self.PREDICTION, radius=5) == (1, 3)
        assert count_identified(self.REFERENCE, self.PREDICTION, radius=4.9) == (0, 3)
        # Another region has a landmark beside the first one, and one that is not there.
        others = np.array([[0.0, 0], [3, 3], [NAN, NAN]])
        assert count_identified(self.REFERENCE, self.PREDICTION, radius=5, among=others) == (0, 3)

    def test_rates_pool_the_landmarks_of_all_cases(self):
        cases = [self.REFERENCE, self.REFERENCE[:1]], [self.PREDICTION, self.REFERENCE[:1]]
        assert metrics.success_detection_rate(*cases, radius=5).value == 2 / 4
        assert metrics.identification_rate(*cases, radius=5).value == 2 / 4
        lone = [np.array([[0.0, 0]])], [np.array([[0.0, 20]])]
        assert metrics.identification_rate(*lone).value == 1
        assert metrics.identification_rate([lone[0][0]], [lone[1][0] + 0.01]).value == 0
        for measure in (metrics.success_detection_rate, metrics.identification_rate):
            assert reason(measure([self.REFERENCE[3:]], [self.PREDICTION[3:]], radius=5)) == BY_REFERENCE


class TestRegistration:
    def test_errors_of_mapped_landmarks(self):
        moving, mapped = np.zeros((4, 2)), np.array([[0.0, 1], [2, 0], [0, 3], [0, 10]])
        for operator, value in (
            ("mean", 4),
            ("median", 2.5),
            ("max", 10),
            ({"percentile": 50}, 2.5),
            ({"percentile": 100}, 10),
        ):
            assert metrics.tre(moving, mapped, operator=operator).value == value
        assert reason(metrics.tre(np.zeros((0, 2)), np.zeros((0, 2)))) == BY_REFERENCE
        assert metrics.tre(moving, np.where(mapped == 10, NAN, mapped)).outcome is Outcome.PRED_EMPTY

    @staticmethod
    def stretched(length, factor):
        """Stretched along the first axis by a factor, from the middle on by none."""
        field = np.zeros((length, 6, 2))
        field[..., 0] = (factor - 1) * np.minimum(np.arange(length), length // 2)[:, None]
        return field

    def test_folding_and_spread_leave_out_the_margin(self):
        # Determinants along the first axis: -1 five times, 0 at the bend (between -1 and 1), 1 four times.
        field = self.stretched(10, -1)
        assert jacobian_determinants(field)[:, 0].tolist() == [-1] * 5 + [0] + [1] * 4
        assert metrics.folding_fraction(field, margin=0).value == 6 / 10
        assert metrics.folding_fraction(field, margin=1).value == 5 / 8
        assert metrics.folding_fraction(field).value == 4 / 6
        mask = np.zeros((10, 6))
        mask[4:8] = 3
        assert metrics.folding_fraction(field, mask).value == 2 / 4
        assert reason(metrics.folding_fraction(field, margin=3)) == BY_REFERENCE
        assert reason(metrics.sdlogj(field, margin=5)) == BY_REFERENCE
        with_offset = np.log([2.0] * 3 + [3.0] + [4.0] * 2)
        assert metrics.sdlogj(field).value == pytest.approx(with_offset.std())
        clipped = np.log([1e-9] * 4 + [1.0] * 2)
        assert metrics.sdlogj(field, offset=0).value == pytest.approx(clipped.std())
        huge = np.full((5, 5), 1e12)
        huge[2, 2] = 1.0
        known = metrics.sdlogj(field, margin=0, offset=0, determinants=huge)
        assert known.value == pytest.approx(np.log([1e9] * 24 + [1.0]).std())
        assert metrics.folding_fraction(field, margin=0, determinants=huge).value == 0

    def test_labels_are_pulled_through_field_and_matrix(self):
        labels = np.arange(1, 13).reshape(3, 4)
        field = np.zeros((2, 3, 2))
        field[..., 1] = 1
        assert warp_labels(labels, field).tolist() == [[2, 3, 4], [6, 7, 8]]
        # Rows of the fixed grid are twice as far apart and begin one row later: row 1 + 2 i, column j + 1 - 1.
        matrix = [[2, 0, 1], [0, 1, -1]]
        assert warp_labels(labels, field, matrix).tolist() == [[5, 6, 7], [0, 0, 0]]
        with mock.patch("evaluation.metrics.deformations._PIECE", 1):
            assert warp_labels(labels, field, matrix).tolist() == [[5, 6, 7], [0, 0, 0]]

    def test_labels_outside_are_0_on_every_axis(self):
        labels = np.array([[1, 2], [3, 4]])
        places = np.array([[-0.51, -0.5, 1.49, 1.5, 0.5, 0, 0], [0, 0, 1, 1, 0.49, -0.6, 1.5]])
        assert sample_labels(labels, places).tolist() == [0, 1, 4, 0, 3, 0, 0]
        assert sample_labels(labels, np.array([[np.nextafter(1.5, 0)], [0]])).tolist() == [3]
        # With half a voxel added, the largest number below one half is 1; it still belongs to the only voxel of its axis.
        assert sample_labels(labels[:1], np.array([[np.nextafter(0.5, 0)], [1]])).tolist() == [2]

    def test_points_on_the_hull_are_inside(self):
        field = np.arange(12.0).reshape(2, 3, 2)
        assert sample_field(field, [[0, 0], [1, 2]]).tolist() == [[0, 1], [10, 11]]
        assert sample_field(field, [0.5, 1.5]).tolist() == [[6, 7]]
        for outside in ([-1e-9, 0], [0, 2.0000001], [1.1, 0]):
            with pytest.raises(ValueError, match="outside the hull"):
                sample_field(field, [outside])


class TestNearest:
    def test_many_points_are_looked_up_in_a_tree(self):
        one, other = np.random.default_rng(2).random((2, 30, 3))
        table = np.sqrt(((one[:, None] - other[None]) ** 2).sum(axis=2))
        for most in (900, 899):
            with mock.patch.object(nearest, "ALL_PAIRS", most):
                there, back = nearest.both_ways(one, other)
            assert there == pytest.approx(table.min(axis=1), rel=1e-6)
            assert back == pytest.approx(table.min(axis=0), rel=1e-6)

    @pytest.mark.parametrize("before", [None, "7"])
    def test_the_number_of_threads_is_put_back_after_loading(self, monkeypatch, before):
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
        if before is not None:
            monkeypatch.setenv("OMP_NUM_THREADS", before)
        seen = []
        monkeypatch.setattr(
            nearest, "import_module", lambda name: seen.append((name, os.environ["OMP_NUM_THREADS"])) or sys
        )
        assert nearest._library.__wrapped__() is sys
        assert seen == [("pykdtree.kdtree", "1")]
        assert os.environ.get("OMP_NUM_THREADS") == before
