package io.latimer.pipelines.shared;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/**
 * A round-robin queue of items of several owners: one of each owner that has any, then the next of
 * each. However many items one owner has, another's first item is at most as many places away as
 * there are owners. The items of an owner stay in order. Not thread-safe.
 *
 * @param <K> owners, compared by {@code equals}
 * @param <T> items
 */
final class FairQueue<K, T> {
  /** The owners with items, in the order of their turns. */
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
      waiting.put(owner, items); // back to the end
    }
    return item;
  }

  /** Removes an item of an owner; false if it is not there. Fast for the owner's first item. */
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
