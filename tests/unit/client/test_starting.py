"""Archives of starter kits are written below the new folder only."""

import io
import zipfile

import pytest
from podium_client import starting
from podium_client.errors import ClientError


@pytest.mark.parametrize("name", ["kit/../../evil.py", "/etc/evil", "evil.py", "kit/..\\evil.py", "kit/C:/evil.py"])
def test_paths_outside_the_folder_are_refused(tmp_path, name):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("kit/good.py", "1")
        archive.writestr(name, "1")
    with pytest.raises(ClientError, match="invalid path"):
        starting._unpack(buffer.getvalue(), tmp_path / "kit")
    assert not (tmp_path / "kit").exists()


def test_what_is_no_archive_is_refused(tmp_path):
    with pytest.raises(ClientError, match="not a ZIP archive"):
        starting._unpack(b"no archive", tmp_path / "kit")
