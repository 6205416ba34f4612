"""The design system: components, base pages, home, middleware, error pages, background jobs."""
