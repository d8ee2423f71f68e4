package io.latimer.operators.lm.arpa;

import java.util.Arrays;

/**
 * The shape of a static B-tree of a number of sorted keys: as low as it can be, the roots of its
 * subtrees as small as will do, and the keys below them spread evenly. Its nodes are numbered
 * breadth-first. Used by one thread.
 */
final class BTreeShape {
  private final int keysPerNode;
  private int nodes;
  private int[] first = new int[16]; // of each node: the place of its subtree's first key
  private int[] all = new int[16]; // keys of its subtree
  private int[] own = new int[16]; // its keys
  private int[] child = new int[16]; // the number of its first child, 0 if it is a leaf
  private int[] at = new int[16]; // where it begins, in 32-bit words from the tree's beginning

  BTreeShape(int keysPerNode) {
    this.keysPerNode = keysPerNode;
  }

  /** The 32-bit words that a tree takes, 0 if it has no keys. */
  long words(int keys, int payloadWords) {
    return keys == 0 ? 0 : (1L + payloadWords) * keys + 2L * count(keys) - 1;
  }

  /** How many nodes a tree has. */
  private int count(int keys) {
    if (keys <= keysPerNode) {
      return keys == 0 ? 0 : 1;
    }
    int root = rootKeys(keys);
    int small = (keys - root) / (root + 1);
    int larger = (keys - root) % (root + 1); // so many subtrees have one key more
    return 1 + (larger == 0 ? 0 : larger * count(small + 1)) + (root + 1 - larger) * count(small);
  }

  /** The keys in the root of a tree that needs more than one node. */
  private int rootKeys(int keys) {
    long below = keysPerNode; // what a subtree holds, of the least height that suffices
    while ((keysPerNode + 1) * (below + 1) - 1 < keys) {
      below = (keysPerNode + 1) * (below + 1) - 1;
    }
    return (int) (keys / (below + 1));
  }

  /** Lays a tree out; what the other methods tell is about the tree that was laid out last. */
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

  /** The keys of a node. */
  int keys(int node) {
    return own[node];
  }

  /** How many children a node has: one more than its keys, or none. */
  int children(int node) {
    return child[node] == 0 ? 0 : own[node] + 1;
  }

  /** The number of a node's i-th child. */
  int child(int node, int i) {
    return child[node] + i;
  }

  /** Where a node begins, in 32-bit words from the beginning of the tree. */
  int at(int node) {
    return at[node];
  }

  /** The place of a node's i-th key among all keys of the tree, which are sorted. */
  int place(int node, int i) {
    if (child[node] == 0) {
      return first[node] + i;
    }
    return first[child[node] + i] + all[child[node] + i]; // behind the i-th child
  }
}
