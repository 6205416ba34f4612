"""DICOM series and segmentations for comparisons, written by pydicom and highdicom."""
# ruff: noqa: INP001

import highdicom
import numpy as np
from highdicom.sr.coding import CodedConcept
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.uid import CTImageStorage, ExplicitVRLittleEndian, generate_uid

SPACING = (0.8, 0.9, 2.5)
ORIGIN = (-10.0, 20.0, 5.0)
ROW, COLUMN = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
PATIENT = "Secret^Patient"
VALUES = np.random.default_rng(3).integers(-500, 500, (4, 5, 6)).astype(np.int16)


def series(
    values=VALUES,
    *,
    row=ROW,
    column=COLUMN,
    spacing=SPACING,
    origin=ORIGIN,
    slope=1.0,
    intercept=-1000.0,
    syntax=ExplicitVRLittleEndian,
    dtype="<i2",
):
    """Return one dataset per slice of values by x, y, z; the last axis runs along the normal of the slices."""
    normal = np.cross(row, column)
    series_uid, study, frame = generate_uid(), generate_uid(), generate_uid()
    datasets = []
    for number in range(values.shape[2]):
        dataset = Dataset()
        dataset.file_meta = FileMetaDataset()
        dataset.file_meta.TransferSyntaxUID = syntax
        dataset.SOPClassUID = dataset.file_meta.MediaStorageSOPClassUID = CTImageStorage
        dataset.SOPInstanceUID = dataset.file_meta.MediaStorageSOPInstanceUID = generate_uid()
        dataset.SeriesInstanceUID, dataset.StudyInstanceUID, dataset.FrameOfReferenceUID = series_uid, study, frame
        dataset.PatientName, dataset.PatientID, dataset.PatientBirthDate = PATIENT, "4711", "19700101"
        dataset.PatientSex, dataset.StudyDate, dataset.StudyTime = "O", "20200101", "120000"
        dataset.AccessionNumber = dataset.ReferringPhysicianName = ""
        dataset.StudyID, dataset.Modality, dataset.Manufacturer = "1", "CT", "none"
        dataset.SeriesNumber, dataset.InstanceNumber = 1, number + 1
        dataset.ImagePositionPatient = [float(each) for each in np.array(origin) + normal * spacing[2] * number]
        dataset.ImageOrientationPatient = [*map(float, row), *map(float, column)]
        dataset.PixelSpacing, dataset.SliceThickness = [spacing[1], spacing[0]], spacing[2]
        dataset.Rows, dataset.Columns = values.shape[1], values.shape[0]
        bits = np.dtype(dtype).itemsize * 8
        dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit = bits, bits, bits - 1
        dataset.PixelRepresentation = int(np.dtype(dtype).kind == "i")
        dataset.SamplesPerPixel, dataset.PhotometricInterpretation = 1, "MONOCHROME2"
        dataset.RescaleSlope, dataset.RescaleIntercept = slope, intercept
        order = ">" if syntax == "1.2.840.10008.1.2.2" else "<"
        pixels = np.ascontiguousarray(values[:, :, number].T.astype(np.dtype(dtype).newbyteorder(order))).tobytes()
        dataset.PixelData = pixels + b"\0" * (len(pixels) % 2)
        dataset["PixelData"].VR = "OW" if bits > 8 else "OB"
        datasets.append(dataset)
    return datasets


def write_series(folder, values=VALUES, **options):
    """Write a series into a folder, in an order of names that is not that of the slices; returns its datasets."""
    folder.mkdir(parents=True, exist_ok=True)
    datasets = series(values, **options)
    for number, dataset in enumerate(datasets):
        dataset.save_as(folder / f"{(number * 7) % 11:02d}-{number}.dcm", enforce_file_format=True)
    return datasets


def segmentation(labels, source, *, kind="BINARY", omit=True, syntax=ExplicitVRLittleEndian, masks=None):
    """Return a segmentation of a series: labels by x, y, z, or one mask per segment on a last axis."""
    array = np.ascontiguousarray(np.swapaxes(labels if masks is None else masks, 0, 2))
    if kind == "FRACTIONAL":
        array = (array > 0).astype(np.float32)
    count = 1 if kind == "FRACTIONAL" else int(labels.max()) if masks is None else masks.shape[3]
    descriptions = [
        highdicom.seg.SegmentDescription(
            number,
            f"segment {number}",
            CodedConcept("123037004", "SCT", "Anatomical Structure"),
            CodedConcept("10200004", "SCT", "Liver"),
            highdicom.seg.SegmentAlgorithmTypeValues.MANUAL,
        )
        for number in range(1, count + 1)
    ]
    return highdicom.seg.Segmentation(
        source_images=source,
        pixel_array=array,
        segmentation_type=kind,
        segment_descriptions=descriptions,
        series_instance_uid=generate_uid(),
        series_number=2,
        sop_instance_uid=generate_uid(),
        instance_number=1,
        manufacturer="none",
        manufacturer_model_name="none",
        software_versions="1",
        device_serial_number="1",
        omit_empty_frames=omit,
        transfer_syntax_uid=syntax,
    )


def write_segmentation(path, labels, source, **options):
    """Write a segmentation; returns its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    segmentation(labels, source, **options).save_as(path)
    return path


def blocks(shape=(4, 5, 6)):
    """Labels of two objects that leave slices at both ends and in the middle empty."""
    labels = np.zeros(shape, dtype=np.uint8)
    labels[1:3, 2:4, 1] = 1
    labels[0:2, 0:2, 4] = 2
    return labels
