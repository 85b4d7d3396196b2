"""The snapping mechanism: parameters, the exact decision, the fast path that equals it, and the exact law."""
