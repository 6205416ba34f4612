"""Parts of the body as search terms.

Designs describe in free text the origin of their data and the target of their algorithms. A body part is detected
if one of its terms occurs in these texts.
"""

import re
from typing import Final

# Slug: label and the words (whole words, plural forms listed) that name it.
PARTS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "brain": ("Brain", ("brain", "brains", "cerebral", "cerebellum", "cortical", "glioma", "glioblastoma", "stroke")),
    "hippocampus": ("Hippocampus", ("hippocampus", "hippocampi", "hippocampal")),
    "head_neck": ("Head and neck", ("head and neck", "larynx", "pharynx", "thyroid", "oral cavity", "parotid")),
    "eye": ("Eye", ("eye", "eyes", "retina", "retinal", "fundus", "macula", "optic disc")),
    "teeth": ("Teeth and jaw", ("tooth", "teeth", "dental", "mandible", "jaw")),
    "spine": ("Spine", ("spine", "spinal", "vertebra", "vertebrae", "vertebral")),
    "bone": ("Bones and joints", ("bone", "bones", "knee", "hip", "femur", "cartilage", "joint", "joints", "rib", "ribs")),
    "breast": ("Breast", ("breast", "breasts", "mammography", "mammogram", "mammograms")),
    "heart": ("Heart", ("heart", "hearts", "cardiac", "ventricle", "ventricles", "atrium", "atria", "myocardium")),
    "lung": ("Lung", ("lung", "lungs", "pulmonary", "airway", "airways")),
    "thorax": ("Thorax", ("thorax", "thoracic", "chest")),
    "abdomen": ("Abdomen", ("abdomen", "abdominal", "laparoscopic")),
    "liver": ("Liver", ("liver", "livers", "hepatic", "hepatocellular")),
    "gallbladder": ("Gallbladder", ("gallbladder", "cholecystectomy", "bile duct")),
    "pancreas": ("Pancreas", ("pancreas", "pancreatic")),
    "spleen": ("Spleen", ("spleen", "spleens", "splenic")),
    "kidney": ("Kidney", ("kidney", "kidneys", "renal")),
    "stomach": ("Stomach and oesophagus", ("stomach", "gastric", "oesophagus", "esophagus")),
    "colon": ("Bowel", ("colon", "colorectal", "rectum", "rectal", "bowel", "intestine", "polyp", "polyps")),
    "prostate": ("Prostate", ("prostate", "prostates", "prostatic")),
    "bladder": ("Bladder", ("bladder", "urinary")),
    "female_pelvis": ("Uterus, ovary and foetus", ("uterus", "ovary", "ovaries", "cervix", "cervical", "fetal", "foetal", "fetus")),
    "vessels": ("Vessels", ("vessel", "vessels", "vascular", "aorta", "artery", "arteries", "coronary", "aneurysm")),
    "lymph_nodes": ("Lymph nodes", ("lymph node", "lymph nodes")),
    "skin": ("Skin", ("skin", "melanoma", "dermoscopy", "dermoscopic")),
    "muscle": ("Muscle and fat", ("muscle", "muscles", "adipose")),
    "blood": ("Blood", ("blood", "leukocyte", "leukocytes", "erythrocytes")),
    "cells": ("Cells and tissue", ("cell", "cells", "nucleus", "nuclei", "tissue", "histology", "histopathology")),
    "instruments": ("Surgical instruments", ("instrument", "instruments", "grasper", "tool tip")),
    "whole_body": ("Whole body", ("whole body", "whole-body")),
}  # fmt: skip
_PATTERNS: Final = {
    slug: re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b", re.IGNORECASE) for slug, (_, words) in PARTS.items()
}


def parts_in(*texts: str) -> list[str]:
    """The parts of the body that the texts name.

    Examples
    --------
    >>> parts_in("MRI of the liver and its hepatic vessels", "HCC")
    ['liver', 'vessels']
    """
    whole = "\n".join(texts)
    return [slug for slug, pattern in _PATTERNS.items() if pattern.search(whole)]
