"""Landmarks, displacement fields and pairs of images: vectors of the reference, and libraries as second computation."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import ndimage, spatial, stats

from evaluation import metrics
from evaluation.metrics.deformations import jacobian_determinants, sample_field, sample_labels, warp_labels
from evaluation.metrics.image_similarity import ssim_of_regions
from evaluation.outcomes import Flag, Outcome

VECTORS = json.loads(Path(__file__).with_name("points_fields_and_pairs.json").read_text())
SHAPE = (10, 9, 8)


def waves(strength: float, shape: tuple[int, ...] = SHAPE) -> np.ndarray:
    """The field of the vectors: u_x = a sin(2 pi y/9), u_y = a/2 cos(2 pi z/8), u_z = -0.3 a sin(2 pi x/10)."""
    x, y, z = np.indices(shape)
    parts = (np.sin(2 * np.pi * y / 9), 0.5 * np.cos(2 * np.pi * z / 8), -0.3 * np.sin(2 * np.pi * x / 10))
    return strength * np.stack(parts, axis=-1)


def block(*sides: tuple[int, int]) -> np.ndarray:
    labels = np.zeros(SHAPE, dtype=np.uint8)
    labels[tuple(slice(*side) for side in sides)] = 1
    return labels


def of_landmarks(vector):
    given, found = vector["input"]["reference"], vector["input"]["prediction"]
    reference = np.array(list(given.values()), dtype=float)
    prediction = np.array([found.get(name, [np.nan] * 3) for name in given], dtype=float)
    function = getattr(metrics, vector["metric"])
    if vector["metric"] == "radial_error":
        return function(reference, prediction, penalty=vector.get("settings", {}).get("penalty"), **vector["options"])
    return function([reference], [prediction], **vector["options"])


def of_registration(vector):
    given, field = vector["input"], waves(vector["strength"])
    if vector["metric"] == "tre":
        spacing, fixed = np.array(given["spacing"]), np.array(given["fixed"])
        pushed = (fixed + sample_field(field, fixed)) * spacing
        return metrics.tre(np.array(given["moving"]) * spacing, pushed, **vector["options"])
    if vector["metric"] == "dsc":
        return metrics.dsc(block((3, 7), (3, 7), (2, 6)), warp_labels(block((3, 7), (2, 6), (2, 6)), field))
    mask = block((2, 9), (3, 7), (2, 6)) if "mask" in given else None
    return getattr(metrics, vector["metric"])(field, mask, **vector["options"])


def of_images(vector):
    reference = np.array(VECTORS["reference_values"], dtype=float)
    prediction = reference if vector["value"] is None else np.array(VECTORS["prediction_values"], dtype=float)
    return getattr(metrics, vector["metric"])(reference, prediction, data_range=(0, 255), **vector["options"])


@pytest.mark.parametrize("vector", VECTORS["vectors"], ids=lambda vector: vector["id"])
def test_vectors_of_the_reference(vector):
    measure = {"landmarks": of_landmarks, "registration": of_registration, "image_to_image": of_images}
    result = measure[vector["kind"]](vector)
    assert result.outcome == vector["outcome"]
    if vector["value"] is None:
        assert result.flag is Flag.UNBOUNDED
    else:
        assert result.value == pytest.approx(vector["value"], rel=1e-9, abs=1e-15)


def test_nearest_neighbour_takes_what_itk_takes():
    places = np.array([[-0.6, -0.5, -0.4, 0.5, 1.5, 2.5, 4.2, 4.49, 4.5, 4.6]])
    assert sample_labels(np.arange(10, 15), places).tolist() == [0, 10, 10, 11, 12, 13, 14, 14, 0, 0]


class TestLandmarks:
    REFERENCE = np.random.default_rng(1).uniform(0, 50, (40, 12, 3))
    PREDICTION = REFERENCE + np.random.default_rng(2).normal(0, 4, REFERENCE.shape)

    def test_against_scipy(self):
        errors = [np.diag(spatial.distance.cdist(a, b)) for a, b in zip(self.REFERENCE, self.PREDICTION, strict=True)]
        for operator, of in (("mean", np.mean), ("median", np.median), ("max", np.max)):
            found = metrics.radial_error(self.REFERENCE[0], self.PREDICTION[0], operator=operator)
            assert found.value == pytest.approx(of(errors[0]), rel=1e-12)
        found = metrics.success_detection_rate(self.REFERENCE, self.PREDICTION, radius=6)
        assert found.value == np.mean(np.concatenate(errors) <= 6)
        nearest = [spatial.cKDTree(a).query(b)[1] for a, b in zip(self.REFERENCE, self.PREDICTION, strict=True)]
        right = np.concatenate(nearest) == np.tile(np.arange(12), 40)
        found = metrics.identification_rate(self.REFERENCE, self.PREDICTION, radius=6)
        assert found.value == np.mean(right & (np.concatenate(errors) <= 6))

    def test_what_is_not_there(self):
        reference, lost = np.zeros((2, 3)), np.full((2, 3), np.nan)
        assert metrics.radial_error(reference, lost, penalty=9).outcome is Outcome.PRED_EMPTY
        nothing = metrics.radial_error(lost, reference)
        assert (nothing.outcome, nothing.flag) == (Outcome.DEGENERATE, Flag.REFERENCE)
        assert metrics.success_detection_rate([reference], [lost], radius=2).value == 0
        with pytest.raises(ValueError, match="1 landmarks are not predicted"):
            metrics.radial_error(reference, np.array([[0.0, 0, 0], [np.nan] * 3]))

    def test_equally_near_is_identified(self):
        assert metrics.identification_rate([[[0.0, 0], [4, 0]]], [[[2.0, 0], [4, 0]]], radius=3).value == 1


class TestFields:
    FIELD = np.stack(
        [ndimage.gaussian_filter(np.random.default_rng(seed).normal(size=(14, 12, 10)), 1.5) * 25 for seed in range(3)],
        axis=-1,
    )

    def image(self):
        SimpleITK = pytest.importorskip("SimpleITK")
        return SimpleITK, SimpleITK.GetImageFromArray(self.FIELD.transpose(2, 1, 0, 3), isVector=True)

    def test_determinants_against_itk_off_the_faces(self):
        SimpleITK, image = self.image()
        itk = SimpleITK.GetArrayFromImage(SimpleITK.DisplacementFieldJacobianDeterminant(image)).transpose(2, 1, 0)
        inner = (slice(1, -1),) * 3
        np.testing.assert_allclose(jacobian_determinants(self.FIELD)[inner], itk[inner], rtol=1e-9, atol=1e-12)

    def test_determinants_against_numpy_everywhere(self):
        gradients = np.stack([np.stack(np.gradient(self.FIELD[..., c]), axis=-1) for c in range(3)], axis=-2)
        np.testing.assert_allclose(
            jacobian_determinants(self.FIELD), np.linalg.det(np.eye(3) + gradients), rtol=1e-9, atol=1e-12
        )

    def test_slabs_change_nothing(self, monkeypatch):
        whole = jacobian_determinants(self.FIELD)
        labels = np.random.default_rng(3).integers(0, 4, (14, 12, 10))
        pulled = warp_labels(labels, self.FIELD)
        monkeypatch.setattr("evaluation.metrics.deformations._PIECE", 1)
        np.testing.assert_array_equal(jacobian_determinants(self.FIELD), whole)
        np.testing.assert_array_equal(warp_labels(labels, self.FIELD), pulled)

    def test_pulled_labels_against_itk_voxel_by_voxel(self):
        SimpleITK, image = self.image()
        labels = np.random.default_rng(3).integers(0, 4, (14, 12, 10)).astype(np.uint8)
        moving = SimpleITK.GetImageFromArray(labels.transpose(2, 1, 0))
        transform = SimpleITK.DisplacementFieldTransform(SimpleITK.Image(image))
        itk = SimpleITK.GetArrayFromImage(
            SimpleITK.Resample(moving, moving, transform, SimpleITK.sitkNearestNeighbor, 0)
        )
        np.testing.assert_array_equal(warp_labels(labels, self.FIELD), itk.transpose(2, 1, 0))

    def test_sampling_against_scipy(self):
        points = np.random.default_rng(4).uniform(0, 1, (50, 3)) * (np.array([14, 12, 10]) - 1)
        scipy = [ndimage.map_coordinates(self.FIELD[..., c], points.T, order=1) for c in range(3)]
        np.testing.assert_allclose(sample_field(self.FIELD, points), np.transpose(scipy), rtol=1e-9, atol=1e-12)
        for outside in ([13.01, 0, 0], [0, -0.01, 0]):
            with pytest.raises(ValueError, match="outside"):
                sample_field(self.FIELD, [outside])

    def test_a_point_on_a_voxel_is_given_what_stands_there_also_on_the_last_one(self):
        # Squares of the place: what is read one voxel too low and carried on as a line would be 7 and not 9.
        field = np.stack([np.arange(4.0)[:, None] ** 2 + np.zeros(3), np.zeros((4, 3))], axis=-1)
        places = [[0, 0], [1, 2], [2, 1], [3, 0], [3, 2]]
        np.testing.assert_array_equal(sample_field(field, places)[:, 0], [0, 1, 4, 9, 9])
        # Between the last two voxels, half of each: (4 + 9) / 2.
        assert sample_field(field, [2.5, 2])[0, 0] == 6.5

    def test_a_field_of_one_slice_is_sampled_within_it(self):
        field = np.zeros((3, 1, 2))
        field[:, 0, 0] = [5, 7, 11]
        np.testing.assert_array_equal(sample_field(field, [[0, 0], [1.5, 0], [2, 0]])[:, 0], [5, 9, 11])

    def test_two_dimensions(self):
        field = self.FIELD[:, :, 5, :2]
        gradients = np.stack([np.stack(np.gradient(field[..., c]), axis=-1) for c in range(2)], axis=-2)
        np.testing.assert_allclose(jacobian_determinants(field), np.linalg.det(np.eye(2) + gradients), rtol=1e-9)

    def test_without_a_voxel_to_evaluate(self):
        for function in (metrics.sdlogj, metrics.folding_fraction):
            result = function(self.FIELD, np.zeros((14, 12, 10)))
            assert (result.outcome, result.flag) == (Outcome.DEGENERATE, Flag.REFERENCE)


class TestPairsOfImages:
    REFERENCE = ndimage.gaussian_filter(np.random.default_rng(5).normal(size=(22, 20, 18)), 2) * 900 + 100
    PREDICTION = REFERENCE + np.random.default_rng(6).normal(0, 30, REFERENCE.shape)
    RANGE = (-300.0, 500.0)

    def test_errors_against_scikit_image_and_scipy(self):
        skimage = pytest.importorskip("skimage.metrics")
        a, b = self.REFERENCE, self.PREDICTION
        pairs = {
            "image_rmse": skimage.mean_squared_error(a, b) ** 0.5,
            "nmse": skimage.normalized_root_mse(a, b) ** 2,
            "psnr": skimage.peak_signal_noise_ratio(a, b, data_range=800),
            "ncc": stats.pearsonr(a.ravel(), b.ravel()).statistic,
            "image_mae": np.abs(a - b).mean(),
        }
        for name, value in pairs.items():
            assert getattr(metrics, name)(a, b, data_range=self.RANGE).value == pytest.approx(value, rel=1e-9)

    @pytest.mark.parametrize("window", ["uniform", "gaussian"])
    def test_structural_similarity_against_scikit_image(self, window):
        skimage = pytest.importorskip("skimage.metrics")
        gaussian = {"gaussian_weights": True, "sigma": 1.5, "use_sample_covariance": False}
        _, whole = skimage.structural_similarity(
            self.REFERENCE, self.PREDICTION, data_range=800, full=True, **(gaussian if window == "gaussian" else {})
        )
        rim = 5 if window == "gaussian" else 3
        inner = (slice(rim, -rim),) * 3
        found = metrics.ssim(self.REFERENCE, self.PREDICTION, data_range=self.RANGE, window=window)
        assert found.value == pytest.approx(whole[inner].mean(), rel=1e-9)
        region = self.REFERENCE > 120
        found = metrics.ssim(self.REFERENCE, self.PREDICTION, data_range=self.RANGE, window=window, region=region)
        assert found.value == pytest.approx(whole[inner][region[inner]].mean(), rel=1e-9)

    def test_slices_against_scikit_image(self):
        skimage = pytest.importorskip("skimage.metrics")
        of_slices = []
        for number in range(18):
            a, b = self.REFERENCE[..., number], self.PREDICTION[..., number]
            _, whole = skimage.structural_similarity(a, b, data_range=800, full=True)
            of_slices.append(whole[3:-3, 3:-3].mean())
        found = metrics.ssim(self.REFERENCE, self.PREDICTION, data_range=self.RANGE, dimensions="slices")
        assert found.value == pytest.approx(np.mean(of_slices), rel=1e-9)

    def test_channels_are_averaged(self):
        a, b = (np.stack([x[..., 3], x[..., 9]], axis=-1) for x in (self.REFERENCE, self.PREDICTION))
        of_channels = [metrics.ssim(a[..., c], b[..., c], data_range=self.RANGE).value for c in (0, 1)]
        found = metrics.ssim(a, b, data_range=self.RANGE, channels=True)
        assert found.value == pytest.approx(np.mean(of_channels), rel=1e-12)

    def test_slabs_and_several_regions_change_nothing(self, monkeypatch):
        regions = [None, self.REFERENCE > 120, np.zeros(self.REFERENCE.shape, dtype=bool)]
        whole = ssim_of_regions(self.REFERENCE, self.PREDICTION, regions, data_range=self.RANGE)
        monkeypatch.setattr("evaluation.metrics.structural_similarity._PIECE", 1)
        for region, result in zip(regions[:2], whole[:2], strict=True):
            alone = metrics.ssim(self.REFERENCE, self.PREDICTION, data_range=self.RANGE, region=region)
            assert alone.value == pytest.approx(result.value, rel=1e-12)
        assert (whole[2].outcome, whole[2].flag) == (Outcome.DEGENERATE, Flag.REFERENCE)

    def test_clipping(self):
        assert metrics.image_mae([-1000.0, 50], [-2000.0, 60], data_range=(-1000, 100), clip=True).value == 5
        with pytest.raises(ValueError, match="data range"):
            metrics.image_mae([1.0], [2.0], clip=True)

    def test_what_is_undefined(self):
        ones = np.ones(5)
        for result in (metrics.ncc(ones, np.arange(5.0)), metrics.nmse(0 * ones, ones)):
            assert (result.outcome, result.flag) == (Outcome.DEGENERATE, Flag.REFERENCE)
        result = metrics.ncc(np.arange(5.0), ones)
        assert (result.outcome, result.flag) == (Outcome.DEGENERATE, Flag.NONE)
        assert metrics.ssim(np.ones((6, 9)), np.ones((6, 9)), data_range=(0, 1)).flag is Flag.REFERENCE
