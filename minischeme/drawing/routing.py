"""The ways of arrows around shapes: the shortest with few bends and crossings."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush

from minischeme.drawing.shapes import Arrow, Point, Ray, Shape, points_between

_BEND = 3
_CROSSING = 4
_MARGIN = 3  # columns and lines around all shapes that arrows may use


class Router:
    """The occupied parts of a picture, which every routed arrow adds to."""

    def __init__(self, shapes: list[Shape], right: int) -> None:
        self._blocked = {
            (x, y)
            for shape in shapes
            for x in range(shape.x, shape.x + shape.width)
            for y in range(shape.y, shape.y + shape.height)
        }
        self._right = max([right, *(shape.x + shape.width + 1 for shape in shapes)])
        self._bottom = max(shape.y + shape.height for shape in shapes) + _MARGIN
        self._lines: dict[tuple[Point, bool], Shape] = {}
        """The target of the arrow that passes a point horizontally (True) or vertically (False)."""
        self._rests: dict[Shape, dict[Point, list[Point]]] = {}
        """The rest of the way from the points of routed arrows, which others with the same target may join."""

    def route(self, arrow: Arrow, most: int) -> bool:
        """Find the way of an arrow; False if there is none among `most` points."""
        target = arrow.target
        goals = set(target.entries())
        joins = self._rests.get(target, {})
        heads = {(x, y) for x, y, _, _ in goals}
        best: dict[Ray, int] = {}
        before: dict[Ray, Ray | None] = {}
        waiting: list[tuple[int, int, Ray]] = []

        def reach(ray: Ray, cost: int, previous: Ray | None) -> None:
            cost += self._surcharge(ray)
            if cost < best.get(ray, cost + 1) and self._is_free(ray, target):
                best[ray], before[ray] = cost, previous
                left = min(abs(ray[0] - x) + abs(ray[1] - y) for x, y in heads)
                heappush(waiting, (cost + left, cost, ray))

        for start, cost in arrow.shape.exits(arrow.slot):
            reach(start, cost, None)
        while waiting and len(best) < most:
            _, cost, ray = heappop(waiting)
            if cost > best[ray]:
                continue
            if ray in goals or (ray[0], ray[1]) in joins:
                self._follow(arrow, ray, before, joins)
                return True
            for turned, more in self._turns(ray, target):
                next_ray = ray[0] + turned[0], ray[1] + turned[1], *turned
                reach(next_ray, cost + 1 + more, ray)
        return False

    def _is_free(self, ray: Ray, target: Shape) -> bool:
        """Whether an arrow to a target may enter a point in a direction."""
        x, y, right, _ = ray
        inside = -_MARGIN < x <= self._right and -_MARGIN < y < self._bottom
        return inside and (x, y) not in self._blocked and self._lines.get(((x, y), right != 0), target) is target

    def _surcharge(self, ray: Ray) -> int:
        """The cost of a point beside that of a step: near a shape and left of all shapes an arrow is less clear."""
        x, y, right, _ = ray
        is_narrow = right == 0 and not self._blocked.isdisjoint(((x - 1, y), (x + 1, y)))
        return 3 * is_narrow + 2 * (x < 0)

    def _turns(self, ray: Ray, target: Shape) -> Iterator[tuple[Point, int]]:
        """The directions in which an arrow may leave a point, each with what that costs beside a step."""
        x, y, right, down = ray
        other = self._lines.get(((x, y), right == 0), target)
        yield (right, down), 0 if other is target else _CROSSING
        if other is target:
            yield (down, right), _BEND
            yield (-down, -right), _BEND

    def _follow(self, arrow: Arrow, last: Ray, before: dict[Ray, Ray | None], joins: dict[Point, list[Point]]) -> None:
        """Record the way that ends with a ray, at the target or where it joins another arrow."""
        rays = [last]
        while (previous := before[rays[-1]]) is not None:
            rays.append(previous)
        rays.reverse()
        points = [(x, y) for x, y, _, _ in rays]
        rest = joins.get(points[-1]) or [points[-1], (last[0] + last[2], last[1] + last[3])]
        for (x, y, right, _), following in zip(rays, [*rays[1:], last], strict=True):
            self._lines[(x, y), right != 0] = arrow.target
            self._lines[(x, y), following[2] != 0] = arrow.target
        way = points[:-1] + rest
        self._lines[way[-2], True] = self._lines[way[-2], False] = arrow.target  # nothing crosses the head
        rests = self._rests.setdefault(arrow.target, {})
        for index, point in enumerate(points[:-1]):
            rests.setdefault(point, way[index:])
        arrow.path = [*points_between((arrow.slot.x, arrow.slot.y), points[0])[:-1], *way]
