"""Counts of training images that match test images, over REST."""
