"""The sentences of nmt_bench, id by id: as drawn by std::mt19937_64 and libstdc++'s std::normal_distribution from seed 11."""

import math

_MASK = (1 << 64) - 1
_SIZE = 312
_SHIFT = 156


class _MersenneTwister64:
    """std::mt19937_64."""

    def __init__(self, seed):
        state = [seed]
        for i in range(1, _SIZE):
            last = state[-1]
            state.append((6364136223846793005 * (last ^ (last >> 62)) + i) & _MASK)
        self._state = state
        self._at = _SIZE

    def draw(self):
        if self._at == _SIZE:
            self._twist()
        x = self._state[self._at]
        self._at += 1
        x ^= (x >> 29) & 0x5555555555555555
        x ^= (x << 17) & 0x71D67FFFEDA60000
        x ^= (x << 37) & 0xFFF7EEE000000000
        return x ^ (x >> 43)

    def _twist(self):
        state = self._state
        for i in range(_SIZE):
            x = (state[i] & 0xFFFFFFFF80000000) | (state[(i + 1) % _SIZE] & 0x7FFFFFFF)
            state[i] = state[(i + _SHIFT) % _SIZE] ^ (x >> 1) ^ (0xB5026F5AA96619E9 if x & 1 else 0)
        self._at = 0


class _Normal:
    """libstdc++'s std::normal_distribution<double>: Marsaglia's polar method, two numbers at a time."""

    def __init__(self, mean, deviation):
        self._mean = mean
        self._deviation = deviation
        self._saved = None

    def draw(self, random):
        if self._saved is not None:
            value, self._saved = self._saved, None
        else:
            while True:
                x = 2.0 * self._uniform(random) - 1.0
                y = 2.0 * self._uniform(random) - 1.0
                r2 = x * x + y * y
                if 0.0 < r2 <= 1.0:
                    break
            factor = math.sqrt(-2.0 * math.log(r2) / r2)
            self._saved = x * factor
            value = y * factor
        return value * self._deviation + self._mean

    @staticmethod
    def _uniform(random):
        return min(random.draw() / 18446744073709551616.0, 1.0 - 2.0**-53)


def sentences(count, words):
    """Source ids of `count` sentences over a vocabulary of `words`, each with the end token 0."""
    random = _MersenneTwister64(11)
    length = _Normal(13.6, 4.3)
    made = []
    for _ in range(count):
        tokens = int(min(40.0, max(5.0, math.floor(length.draw(random) + 0.5))))
        # nmt_bench also draws an id where the end token goes
        ids = [2 + random.draw() % (words - 2) for _ in range(tokens + 1)]
        ids[-1] = 0
        made.append(ids)
    return made
