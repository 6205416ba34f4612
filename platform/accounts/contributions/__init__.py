"""What this app does when something happens elsewhere; connected when it is ready."""
