import sys

from podium_client.cli import main

sys.exit(main())
