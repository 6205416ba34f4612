"""Published statistics of challenge designs, shown next to those of the registry.

They cover the time before and since designs are reviewed. Left: 150 challenges with 549 tasks of 2004 to 2016. Right:
138 challenges with 255 tasks that were submitted in a structured form from 2018 to 2022. If two publications differ,
both values are shown.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Row:
    """A published figure as text for both periods, and as a number where one exists."""

    key: str
    label: str
    before: str
    since: str
    before_value: float | None = None
    since_value: float | None = None
    unit: str = ""


ROWS: Final = (
    Row("reported", "Parameters reported, median per task", "62 % or 64 %", "100 %", 62, 100, "%"),
    Row("training", "Training cases, median", "15 (IQR 7–30)", "229 (IQR 60–730)", 15, 229),
    Row("test", "Test cases, median", "20 (IQR 12–33)", "100 (IQR 20–300)", 20, 100),
    Row("ratio", "Training cases for each test case, median", "0.75", "2.33", 0.75, 2.33),
    Row("annotators", "Annotators of test cases, median", "3 (IQR 3–4)", "2 (IQR 2–4)", 3, 2),
    Row("centers", "Centres, median", "1", "1", 1, 1),
    Row("devices", "Devices, median", "1", "2", 1, 2),
    Row("one_metric", "Ranked by one metric", "57 %", "45 %", 57, 45, "%"),
    Row("metric_based", "Metric-based among ranking schemes", "76 %", "35 %", 76, 35, "%"),
    Row("tested", "With a statistical test", "6 %", "48 %", 6, 48, "%"),
    Row("no_reason", "No reason given for the metrics", "77 % or 58 %", "16 %", 77, 16, "%"),
    Row("dsc", "DSC among segmentation tasks", "92 %", "79 %", 92, 79, "%"),
    Row("hd", "HD or HD95 among segmentation tasks", "47 %", "48 %", 47, 48, "%"),
)

# Shares in percent by slug of the catalogue, where they were published.
SHARES: Final = {
    "categories": {
        "segmentation": (70, 37),
        "classification": (10, 17),
        "detection": (7, 11),
    },
    "modalities": {"mri": (40, 37), "ct": (26, 22)},
    "life_cycle": {
        "repeated_fixed_deadline": (57, 21),
        "one_time_fixed_deadline": (26, 39),
        "repeated_open_call": (10, 21),
        "one_time_open_call": (7, 19),
    },
}
