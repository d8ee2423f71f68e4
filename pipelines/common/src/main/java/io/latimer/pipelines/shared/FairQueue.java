package io.latimer.pipelines.shared;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/**
 * Items of several owners, taken in turn: one of each owner that has any, then the next of each.
 * However many items one owner has, the first of another is at most as many places away as there
 * are owners. The items of one owner keep their order. Not thread-safe.
 *
 * @param <K> owners, compared by {@code equals}
 * @param <T> items
 */
final class FairQueue<K, T> {
  /** The owners with items, whose turn is next first. */
  private final Map<K, Queue<T>> waiting = new LinkedHashMap<>();

  private int size;

  void add(K owner, T item) {
    waiting.computeIfAbsent(owner, key -> new ArrayDeque<>()).add(item);
    size++;
  }

  /** Number of items of all owners. */
  int size() {
    return size;
  }

  /** Takes the next item; null if there is none. */
  T poll() {
    Iterator<Map.Entry<K, Queue<T>>> first = waiting.entrySet().iterator();
    if (!first.hasNext()) {
      return null;
    }
    Map.Entry<K, Queue<T>> turn = first.next();
    K owner = turn.getKey();
    Queue<T> items = turn.getValue();
    first.remove();
    T item = items.remove();
    size--;
    if (!items.isEmpty()) {
      waiting.put(owner, items); // behind all others
    }
    return item;
  }

  /** Takes an item of an owner; false if it is not there. Quick for the owner's first. */
  boolean remove(K owner, T item) {
    Queue<T> items = waiting.get(owner);
    if (items == null || !items.remove(item)) {
      return false;
    }
    if (items.isEmpty()) {
      waiting.remove(owner);
    }
    size--;
    return true;
  }

  /** Takes all items of an owner, in their order. */
  List<T> removeAll(K owner) {
    Queue<T> items = waiting.remove(owner);
    if (items == null) {
      return List.of();
    }
    size -= items.size();
    return new ArrayList<>(items);
  }
}
