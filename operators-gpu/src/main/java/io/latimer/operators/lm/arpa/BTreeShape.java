package io.latimer.operators.lm.arpa;

import java.util.Arrays;

/**
 * The shape of a static B-tree of a number of sorted keys: of minimum height, with roots of
 * subtrees as small as possible and the keys below them spread evenly. Nodes are numbered
 * breadth-first. Not thread-safe.
 */
final class BTreeShape {
  private final int keysPerNode;
  private int nodes;
  private int[] first = new int[16]; // per node: index of its subtree's first key
  private int[] all = new int[16]; // number of keys of its subtree
  private int[] own = new int[16]; // its number of keys
  private int[] child = new int[16]; // the number of its first child, 0 if it is a leaf
  private int[] at = new int[16]; // its offset in the tree, in 32-bit words

  BTreeShape(int keysPerNode) {
    this.keysPerNode = keysPerNode;
  }

  /** The size of a tree in 32-bit words, 0 if it has no keys. */
  long words(int keys, int payloadWords) {
    return keys == 0 ? 0 : (1L + payloadWords) * keys + 2L * count(keys) - 1;
  }

  /** The number of nodes of a tree. */
  private int count(int keys) {
    if (keys <= keysPerNode) {
      return keys == 0 ? 0 : 1;
    }
    int root = rootKeys(keys);
    int small = (keys - root) / (root + 1);
    int larger = (keys - root) % (root + 1); // number of subtrees with one key more
    return 1 + (larger == 0 ? 0 : larger * count(small + 1)) + (root + 1 - larger) * count(small);
  }

  /** The number of keys in the root of a tree that needs more than one node. */
  private int rootKeys(int keys) {
    long below = keysPerNode; // capacity of a subtree of the minimum height
    while ((keysPerNode + 1) * (below + 1) - 1 < keys) {
      below = (keysPerNode + 1) * (below + 1) - 1;
    }
    return (int) (keys / (below + 1));
  }

  /** Lays out a tree; the other methods describe the tree laid out last. */
  void lay(int keys, int payloadWords) {
    nodes = 0;
    if (keys > 0) {
      push(0, keys);
    }
    int end = 0;
    for (int node = 0; node < nodes; node++) {
      at[node] = end;
      own[node] = all[node];
      child[node] = 0;
      if (all[node] > keysPerNode) {
        own[node] = rootKeys(all[node]);
        child[node] = nodes;
        pushChildren(node);
      }
      end += 1 + own[node] * (1 + payloadWords) + children(node);
    }
  }

  private void pushChildren(int node) {
    int from = first[node];
    int small = (all[node] - own[node]) / (own[node] + 1);
    int larger = (all[node] - own[node]) % (own[node] + 1);
    for (int i = 0; i <= own[node]; i++) {
      int keys = small + (i < larger ? 1 : 0);
      push(from, keys);
      from += keys + 1;
    }
  }

  private void push(int from, int keys) {
    if (nodes == first.length) {
      first = Arrays.copyOf(first, 2 * nodes);
      all = Arrays.copyOf(all, 2 * nodes);
      own = Arrays.copyOf(own, 2 * nodes);
      child = Arrays.copyOf(child, 2 * nodes);
      at = Arrays.copyOf(at, 2 * nodes);
    }
    first[nodes] = from;
    all[nodes] = keys;
    nodes++;
  }

  int nodes() {
    return nodes;
  }

  /** The number of keys of a node. */
  int keys(int node) {
    return own[node];
  }

  /** The number of children of a node: one more than its keys, or 0. */
  int children(int node) {
    return child[node] == 0 ? 0 : own[node] + 1;
  }

  /** The number of a node's i-th child. */
  int child(int node, int i) {
    return child[node] + i;
  }

  /** The offset of a node in the tree, in 32-bit words. */
  int at(int node) {
    return at[node];
  }

  /** The index of a node's i-th key among the sorted keys of the tree. */
  int place(int node, int i) {
    if (child[node] == 0) {
      return first[node] + i;
    }
    return first[child[node] + i] + all[child[node] + i]; // after the i-th child
  }
}
