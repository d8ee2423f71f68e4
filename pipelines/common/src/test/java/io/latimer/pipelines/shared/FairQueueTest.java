package io.latimer.pipelines.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FairQueueTest {
  /** An item: the place among those of its owner, and how many others were waiting ahead of it. */
  private record Item(int owner, int number) {}

  @Test
  void anEmptyQueueHasNothing() {
    FairQueue<String, String> queue = new FairQueue<>();
    assertThat(queue.poll()).isNull();
    assertThat(queue.removeAll("a")).isEmpty();
    assertThat(queue.size()).isZero();
  }

  @Test
  void ownersTakeTurns() {
    FairQueue<String, String> queue = new FairQueue<>();
    for (String item : List.of("a1", "a2", "a3", "b1", "c1", "c2")) {
      queue.add(item.substring(0, 1), item);
    }
    List<String> taken = new ArrayList<>();
    for (String item = queue.poll(); item != null; item = queue.poll()) {
      taken.add(item);
    }
    assertThat(taken).containsExactly("a1", "b1", "c1", "a2", "c2", "a3");
  }

  @Test
  void theItemsOfOneOwnerCanBeRemoved() {
    FairQueue<String, String> queue = new FairQueue<>();
    queue.add("a", "a1");
    queue.add("b", "b1");
    queue.add("a", "a2");
    assertThat(queue.removeAll("a")).containsExactly("a1", "a2");
    assertThat(queue.size()).isEqualTo(1);
    assertThat(queue.poll()).isEqualTo("b1");
  }

  @Test
  void oneItemCanBeRemoved() {
    FairQueue<String, String> queue = new FairQueue<>();
    queue.add("a", "a1");
    queue.add("a", "a2");
    queue.add("b", "b1");
    assertThat(queue.remove("a", "a1")).isTrue();
    assertThat(queue.remove("a", "a1")).isFalse();
    assertThat(queue.remove("a", "b1")).isFalse();
    assertThat(queue.remove("b", "b1")).isTrue();
    assertThat(queue.remove("c", "b1")).isFalse();
    assertThat(queue.size()).isEqualTo(1);
    assertThat(queue.poll()).isEqualTo("a2");
    assertThat(queue.poll()).isNull();
  }

  /** Whatever happens, nobody with items is passed over twice by the same other owner. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void aFloodStarvesNobody(long seed) {
    Random random = new Random(seed);
    FairQueue<Integer, Item> queue = new FairQueue<>();
    Map<Integer, List<Item>> model = new LinkedHashMap<>();
    Map<Integer, Map<Integer, Integer>> passed = new HashMap<>(); // by owner: others since its turn
    Map<Integer, Integer> added = new HashMap<>();
    for (int step = 0; step < 5_000; step++) {
      int action = random.nextInt(10);
      int owner = random.nextInt(3) > 0 ? 0 : random.nextInt(6); // owner 0 floods
      if (action < 5) {
        Item item = new Item(owner, added.merge(owner, 1, Integer::sum));
        queue.add(owner, item);
        model.computeIfAbsent(owner, key -> new ArrayList<>()).add(item);
      } else if (action < 9) {
        Item item = queue.poll();
        if (item == null) {
          assertThat(model).isEmpty();
          continue;
        }
        assertThat(item).isEqualTo(model.get(item.owner()).remove(0));
        passed.remove(item.owner());
        if (model.get(item.owner()).isEmpty()) {
          model.remove(item.owner());
        }
        for (int other : model.keySet()) {
          if (other != item.owner()) {
            int times =
                passed
                    .computeIfAbsent(other, key -> new HashMap<>())
                    .merge(item.owner(), 1, Integer::sum);
            assertThat(times).isEqualTo(1);
          }
        }
      } else if (random.nextInt(20) == 0) {
        List<Item> left = model.remove(owner);
        assertThat(queue.removeAll(owner)).isEqualTo(left == null ? List.of() : left);
        passed.remove(owner);
      }
      assertThat(queue.size()).isEqualTo(model.values().stream().mapToInt(List::size).sum());
    }
  }
}
