"""Greedy and beam search over a GRU encoder-decoder with attention in PyTorch: the equations of docs/formats.md."""

import bisect

import torch

END = 0
UNKNOWN = 1


class Batch:
    """Sentences as tensors on the host, padded; limits: the maximum number of words of each."""

    def __init__(self, sentences, factor):
        self.longest = max(len(ids) for ids in sentences)
        self.ids = torch.tensor([ids + [END] * (self.longest - len(ids)) for ids in sentences])
        self.lengths = torch.tensor([len(ids) for ids in sentences])
        self.limits = factor * self.lengths
        self.most = factor * self.longest
        self._ordered = sorted(self.limits.tolist())

    def __len__(self):
        return len(self._ordered)

    def beyond(self, step):
        """Number of sentences with a limit above this step."""
        return len(self) - bisect.bisect_right(self._ordered, step)


class Network:
    """The weights of a GRU network, in the layout that PyTorch's operators expect."""

    def __init__(self, weights, device, dtype):
        def get(name):
            return weights[name].to(device=device, dtype=dtype)

        def vector(name):
            return get(name).reshape(-1)

        def cell(name):
            # gates r, u, n are PyTorch's r, z, n; the candidate's bias is applied at the same point
            return (
                get(name + ".W").t().contiguous(),
                get(name + ".U").t().contiguous(),
                vector(name + ".x.bias"),
                vector(name + ".h.bias"),
            )

        self.device = device
        self.dtype = dtype
        self.source = get("source.embedding")
        target = get("target.embedding")
        (self.words, self.width) = target.shape
        # the decoder's first input is a vector of zeros: the row after the last word's
        self.target = torch.cat([target, target.new_zeros(1, self.width)])
        self.start_of_sentence = self.words
        self.hidden = get("start.W").shape[1]
        self.encoder = torch.nn.GRU(self.width, self.hidden, batch_first=True, bidirectional=True)
        self.encoder = self.encoder.to(device=device, dtype=dtype)
        with torch.no_grad():
            for suffix, name in (("", "encoder.forward"), ("_reverse", "encoder.backward")):
                for parameter, value in zip(("weight_ih", "weight_hh", "bias_ih", "bias_hh"), cell(name)):
                    getattr(self.encoder, f"{parameter}_l0{suffix}").copy_(value)
        self.encoder.flatten_parameters()
        self.start = (get("start.W"), vector("start.bias"))
        self.cell1 = cell("decoder.cell1")
        self.cell2 = cell("decoder.cell2")
        self.key = (get("attention.key.W"), vector("attention.key.bias"))
        self.query = (get("attention.query.W"), vector("attention.query.bias"))
        self.energy = vector("attention.score")
        parts = ("readout.state", "readout.previous", "readout.context")
        self.readout = torch.cat([get(part + ".W") for part in parts])
        self.readout_bias = sum(vector(part + ".bias") for part in parts)
        self.output = get("output.Wt").t()
        self.output_bias = vector("output.bias")
        self._biases = {}

    def bias_without(self, words):
        """The bias of the output layer that forbids some words."""
        key = tuple(words)
        if key not in self._biases:
            self._biases[key] = self.output_bias.clone()
            self._biases[key][words] = float("-inf")
        return self._biases[key]

    def encode(self, ids, lengths):
        """
        ids: B x T on the device, padded; lengths: B on the host.

        Returns keys (B x T x A), annotations (B x T x 2H), mask (B x T, 0 or -inf) and first state (B x H).
        """
        packed = torch.nn.utils.rnn.pack_padded_sequence(
            self.source[ids], lengths, batch_first=True, enforce_sorted=False
        )
        notes, _ = self.encoder(packed)
        notes, _ = torch.nn.utils.rnn.pad_packed_sequence(notes, batch_first=True, total_length=ids.shape[1])
        known = lengths.to(self.device)
        mean = (notes.sum(1, dtype=torch.float32) / known.unsqueeze(1)).to(self.dtype)
        weight, bias = self.start
        state = torch.tanh(torch.addmm(bias, mean, weight))
        weight, bias = self.key
        keys = notes @ weight + bias
        padding = torch.arange(ids.shape[1], device=self.device) >= known.unsqueeze(1)
        mask = torch.zeros(ids.shape, device=self.device, dtype=self.dtype).masked_fill(padding, float("-inf"))
        return keys, notes, mask, state

    def step(self, previous, state, keys, notes, mask, output_bias):
        """
        One word of K hypotheses of each of B sentences; previous: B x K, state: B x K x H.

        Returns logits (B x K x V) and the next state.
        """
        (b, k) = previous.shape
        embedded = self.target[previous].view(b * k, self.width)
        hidden = torch.gru_cell(embedded, state.reshape(b * k, self.hidden), *self.cell1)
        weight, bias = self.query
        query = torch.addmm(bias, hidden, weight).view(b, k, 1, -1)
        energies = torch.tanh(keys.unsqueeze(1) + query) @ self.energy
        attention = torch.softmax(energies + mask.unsqueeze(1), -1)
        context = torch.bmm(attention, notes).view(b * k, 2 * self.hidden)
        hidden = torch.gru_cell(context, hidden, *self.cell2)
        read = torch.cat([hidden, embedded, context], 1)
        read = torch.tanh(torch.addmm(self.readout_bias, read, self.readout))
        logits = torch.addmm(output_bias, read, self.output)
        return logits.view(b, k, -1), hidden.view(b, k, self.hidden)


class Search:
    """
    A batch in progress. All tensors have the batch as their first dimension, and a step changes them in place, so that
    it can be captured; only `rows` records which sentences of the batch they belong to.
    """

    PER_SENTENCE = ("keys", "notes", "mask", "limit", "state", "previous", "said", "done", "length")

    def __init__(self, network, forbid_end):
        self.net = network
        self.forbidden = [END, UNKNOWN] if forbid_end else [UNKNOWN]
        self.rows = None

    def _set(self, name, value):
        """Sets a tensor, in place if it already exists in the same shape."""
        old = getattr(self, name, None)
        if old is not None and old.shape == value.shape:
            old.copy_(value)
        else:
            setattr(self, name, value.clone())

    def load(self, batch, width, room):
        """Encodes a batch. width, room: space per sentence, in source tokens and in words."""
        net = self.net
        ids = torch.nn.functional.pad(batch.ids.to(net.device), (0, width - batch.longest), value=END)
        keys, notes, mask, state = net.encode(ids, batch.lengths)
        self._set("keys", keys)
        self._set("notes", notes)
        self._set("mask", mask)
        self._set("limit", batch.limits.to(net.device))
        self._set("at", torch.zeros(1, dtype=torch.int64, device=net.device))
        self._begin(state, len(batch), room)
        self.rows = torch.arange(len(batch), device=net.device)
        self.saved = []

    def _zeros(self, *shape, dtype=torch.int64, value=0):
        return torch.full(shape, value, dtype=dtype, device=self.net.device)

    def drop(self):
        """Removes finished sentences from the batch; waits for the device."""
        self._save(self.done)
        keep = torch.nonzero(~self.done).flatten()
        for name in self.PER_SENTENCE:
            setattr(self, name, getattr(self, name).index_select(0, keep))
        self.rows = self.rows.index_select(0, keep)

    def _save(self, which):
        at = torch.nonzero(which).flatten()
        said, length = self._results()
        self.saved.append((self.rows[at], said[at], length[at]))

    def results(self):
        """Words (B x room) and their number per sentence, including the end token; on the host."""
        if not self.saved:
            said, length = self._results()
            return said.to("cpu", copy=True), length.to("cpu", copy=True)
        self._save(torch.ones_like(self.done))
        rows, said, length = (torch.cat(parts) for parts in zip(*self.saved))
        order = torch.argsort(rows)
        return said[order].cpu(), length[order].cpu()


class Greedy(Search):
    """The best word at each step, without scores."""

    def _begin(self, state, batch, room):
        self.bias = self.net.bias_without(self.forbidden)
        self._set("state", state.unsqueeze(1))
        self._set("previous", self._zeros(batch, 1, value=self.net.start_of_sentence))
        self._set("said", self._zeros(batch, room))
        self._set("done", self._zeros(batch, dtype=torch.bool, value=False))
        self._set("length", self._zeros(batch))

    def step(self):
        """The next word of every sentence."""
        logits, state = self.net.step(self.previous, self.state, self.keys, self.notes, self.mask, self.bias)
        word = logits.argmax(-1)
        self.said.scatter_(1, self.at.expand(word.shape), word.masked_fill(self.done.unsqueeze(1), END))
        ended = ~self.done & ((word.squeeze(1) == END) | (self.at + 1 >= self.limit))
        self.length.copy_(torch.where(ended, self.at + 1, self.length))
        self.done.logical_or_(ended)
        self.state.copy_(state)
        self.previous.copy_(word)
        self.at += 1

    def _results(self):
        return self.said, self.length


class Beam(Search):
    """
    The K best continuations at each step. When one ends, its score is divided by its number of words, and the
    sentence's beam shrinks by one; at the length limit all end.
    """

    PER_SENTENCE = Search.PER_SENTENCE + ("score", "room", "best", "answer")

    def __init__(self, network, forbid_end, beam):
        super().__init__(network, forbid_end)
        self.beam = beam

    def _begin(self, state, batch, room):
        k = self.beam
        self._set("rank", torch.arange(k, device=self.net.device))
        self._set("state", state.unsqueeze(1).expand(batch, k, -1))
        self._set("previous", self._zeros(batch, k, value=self.net.start_of_sentence))
        self._set("said", self._zeros(batch, k, room))
        self._set("done", self._zeros(batch, dtype=torch.bool, value=False))
        self._set("length", self._zeros(batch))
        score = self._zeros(batch, k, dtype=torch.float32, value=float("-inf"))
        score[:, 0] = 0  # all continue the same empty hypothesis
        self._set("score", score)
        self._set("room", self._zeros(batch, value=k))
        self._set("best", self._zeros(batch, dtype=torch.float32, value=float("-inf")))
        self._set("answer", self._zeros(batch, room))

    def step(self):
        """The next word of every hypothesis."""
        net, k = self.net, self.beam
        logits, state = net.step(self.previous, self.state, self.keys, self.notes, self.mask, net.output_bias)
        batch = logits.shape[0]
        norm = torch.logsumexp(logits.float(), -1, keepdim=True)
        for word in self.forbidden:  # after the softmax: they stay in the denominator
            logits.select(2, word).fill_(float("-inf"))
        top, words = logits.topk(k, -1)
        total = self.score.unsqueeze(2) + (top.float() - norm)
        score, at = total.view(batch, k * k).topk(k, 1)
        parent = torch.div(at, k, rounding_mode="floor")
        word = words.view(batch, k * k).gather(1, at)
        said = self.said.gather(1, parent.unsqueeze(2).expand_as(self.said))
        said.scatter_(2, self.at.view(1, 1, 1).expand(batch, k, 1), word.unsqueeze(2))
        kept = self.rank < self.room.unsqueeze(1)
        ended = kept & ((word == END) | (self.at + 1 >= self.limit.unsqueeze(1)))
        per_word = torch.where(ended, score / (self.at + 1), torch.full_like(score, float("-inf")))
        best, slot = per_word.max(1)
        better = best > self.best
        answer = said.gather(1, slot.view(batch, 1, 1).expand(-1, 1, said.shape[2])).squeeze(1)
        self.answer.copy_(torch.where(better.unsqueeze(1), answer, self.answer))
        self.length.copy_(torch.where(better, self.at + 1, self.length))
        self.best.copy_(torch.where(better, best, self.best))
        self.room -= ended.sum(1)
        self.done.copy_(self.room == 0)
        self.score.copy_(score.masked_fill(ended | ~kept, float("-inf")))
        self.state.copy_(state.gather(1, parent.unsqueeze(2).expand_as(state)))
        self.previous.copy_(word)
        self.said.copy_(said)
        self.at += 1

    def _results(self):
        return self.answer, self.length


class Eager:
    """Decodes a whole batch, launching each operator from Python; can drop finished sentences."""

    def __init__(self, make, drops):
        self.make = make
        self.drops = drops

    def translate(self, batch):
        """As Search.results. If sentences cannot end early, the host knows when each one ends."""
        search = self.make()
        search.load(batch, batch.longest, batch.most)
        fixed = END in search.forbidden
        under_way = len(batch)
        for step in range(1, batch.most + 1):
            search.step()
            left = batch.beyond(step) if fixed else int((~search.done).sum())
            if left == 0:
                break
            if self.drops and left <= under_way * 7 // 8:
                search.drop()
                under_way = left
        return search.results()


class Captured:
    """Decodes a whole batch; each step is one CUDA graph, captured once per shape."""

    WIDTH = 8  # widths are rounded up to a multiple, so that batches share a graph
    ASK = 4  # number of steps between the host's checks whether all are done

    def __init__(self, make, factor):
        self.make = make
        self.factor = factor
        self.graphs = {}

    def translate(self, batch):
        """As Search.results."""
        width = -(-batch.longest // self.WIDTH) * self.WIDTH
        shape = (len(batch), width)
        if shape not in self.graphs:
            self.graphs[shape] = self._capture(batch, width)
        search, graph = self.graphs[shape]
        search.load(batch, width, self.factor * width)
        fixed = END in search.forbidden
        for step in range(1, batch.most + 1):
            graph.replay()
            if not fixed and step % self.ASK == 0 and bool(search.done.all()):
                break
        return search.results()

    def _capture(self, batch, width):
        search = self.make()
        search.load(batch, width, self.factor * width)
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                search.step()
        torch.cuda.current_stream().wait_stream(side)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            search.step()
        return search, graph
