"""The ways of arrows around shapes: the shortest with few bends and crossings."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

from minischeme.drawing.shapes import Arrow, Point, Ray, Shape, points_between

MARGIN = 3  # columns at the right of all shapes for arrows
_LEFT = 2  # columns at the left, if there is room, and lines above and below
_BEND, _CROSSING = 4, 5  # the costs of a step with a bend, and of one across another arrow
_MOST_POINTS = 3_000  # that are tried for an arrow, ten times as many for one to a child


class Router:
    """The occupied parts of a picture of shapes in so many columns, which every routed arrow adds to."""

    def __init__(self, shapes: Sequence[Shape], width: int) -> None:
        self._blocked = {
            (x, y)
            for shape in shapes
            for x in range(shape.x, shape.right + 1)
            for y in range(shape.y, shape.bottom + 1)
        }
        least = max(shape.right for shape in shapes) + 1 + MARGIN
        left = min(_LEFT, max(0, width - least))
        self._columns = range(-left, max(width, least) - left)
        self._rows = range(-_LEFT, max(shape.bottom for shape in shapes) + 1 + _LEFT)
        self._lines: dict[tuple[Point, bool], Shape] = {}
        """The target of the arrow that passes a point horizontally (True) or vertically (False)."""
        self._rests: dict[tuple[Shape, Point], list[Point]] = {}
        """The rest of the way to a shape from the points of routed arrows, which others may join."""

    def route(self, arrow: Arrow) -> bool:
        """Find the way of an arrow; False if there is no short one."""
        target = arrow.target
        goals = set(target.entries())
        best: dict[Ray, int] = {}
        before: dict[Ray, Ray | None] = {}
        waiting: list[tuple[int, int, Ray]] = []

        def reach(ray: Ray, cost: int, previous: Ray | None) -> None:
            cost += self._surcharge(ray)
            if cost < best.get(ray, cost + 1) and self._is_free(ray, target):
                best[ray], before[ray] = cost, previous
                left = min(abs(ray[0] - x) + abs(ray[1] - y) for x, y, _, _ in goals)
                heappush(waiting, (cost + left, cost, ray))

        for start, cost in arrow.exits():
            reach(start, cost, None)
        most = _MOST_POINTS * (10 if arrow.is_to_child else 1)
        while waiting and len(best) < most:
            _, cost, ray = heappop(waiting)
            if cost > best[ray]:
                continue
            x, y, right, down = ray
            is_alone = self._lines.get(((x, y), right == 0), target) is target
            if (is_alone and ray in goals) or (target, (x, y)) in self._rests:
                self._follow(arrow, ray, before)
                return True
            reach((x + right, y + down, right, down), cost + (1 if is_alone else _CROSSING), ray)
            for turn in (1, -1) if is_alone else ():
                reach((x + turn * down, y + turn * right, turn * down, turn * right), cost + _BEND, ray)
        return False

    def _is_free(self, ray: Ray, target: Shape) -> bool:
        """Whether an arrow to a target may enter a point in a direction."""
        x, y, right, _ = ray
        is_inside = x in self._columns and y in self._rows and (x, y) not in self._blocked
        return is_inside and self._lines.get(((x, y), right != 0), target) is target

    def _surcharge(self, ray: Ray) -> int:
        """The cost of a point beside that of a step: near a shape and left of all shapes an arrow is less clear."""
        x, y, right, _ = ray
        is_narrow = right == 0 and not self._blocked.isdisjoint(((x - 1, y), (x + 1, y)))
        return 3 * is_narrow + 2 * (x < 0)

    def _follow(self, arrow: Arrow, last: Ray, before: dict[Ray, Ray | None]) -> None:
        """Record the way that ends with a ray, at the target or where it joins another arrow."""
        rays = [last]
        while (previous := before[rays[-1]]) is not None:
            rays.append(previous)
        rays.reverse()
        target, (x, y, right, down) = arrow.target, last
        for ray, following in zip(rays, [*rays[1:], last], strict=True):
            self._lines[ray[:2], ray[2] != 0] = self._lines[ray[:2], following[2] != 0] = target
        way = [ray[:2] for ray in rays[:-1]]
        way += self._rests.get((target, (x, y)), [(x, y), (x + right, y + down)])
        self._lines[way[-2], True] = self._lines[way[-2], False] = target  # nothing crosses the head
        for index, point in enumerate(way[:-2]):
            self._rests.setdefault((target, point), way[index:])
        arrow.path = [*points_between((arrow.x, arrow.y), way[0])[:-1], *way]
