package io.latimer.operators.grammar;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.grammar.index.GrammarIndex;
import io.latimer.operators.index.IndexFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CellRulesCacheTest {
  @TempDir private Path folder;

  private ClassTables tables(int variables, String... rules) {
    List<String> lines = new ArrayList<>(List.of("start V0"));
    IntStream.range(0, variables).forEach(v -> lines.add("v V" + v));
    lines.addAll(Arrays.asList(rules));
    Path path = GrammarFiles.index(folder, "rules", lines.toArray(String[]::new));
    try (IndexFile file = IndexFile.open(path);
        GrammarIndex index = GrammarIndex.open(file)) {
      return new ClassTables(index);
    }
  }

  @Test
  void rulesFollowFromTheClassesAndTheirAncestors() {
    ClassTables tables =
        tables(
            7,
            "t V1 x",
            "u V2 V1",
            "b V0 V1 V3",
            "b V5 V1 V3",
            "b V4 V2 V3",
            "b V6 V1 V0",
            "b V1 V3 V1");
    int[] of = tables.classOf;
    CellRules rules = new CellRulesCache(tables).of(new long[] {1L << of[1]});
    assertThat(rules.ancestors).containsExactly((char) of[2]);
    assertThat(rules.rights).containsExactlyInAnyOrder((char) of[0], (char) of[3]);
    for (int r = 0; r < 2; r++) {
      List<Integer> parents = new ArrayList<>();
      for (int s = rules.starts[r]; s < rules.starts[r + 1]; s++) {
        for (int m = tables.setStarts[rules.sets[s]];
            m < tables.setStarts[rules.sets[s] + 1];
            m++) {
          parents.add(tables.setMembers[m]);
        }
      }
      assertThat(parents)
          .containsExactlyInAnyOrder(
              rules.rights[r] == of[0]
                  ? new Integer[] {of[6]}
                  : new Integer[] {of[0], of[4], of[5]});
    }
  }

  @Test
  void startsAnewWhenItIsFull() {
    CellRulesCache cache = new CellRulesCache(tables(13, "t V0 x", "b V0 V0 V0"));
    CellRules first = cache.of(new long[] {1});
    CellRules last = first;
    for (int mask = 1; mask < 1 << 13; mask++) {
      last = cache.of(new long[] {mask});
      assertThat(last.found).containsExactly(mask);
      assertThat(cache.of(new long[] {mask})).isSameAs(last);
      assertThat(mask > 1 || last == first).isTrue();
    }
    assertThat(cache.of(new long[] {1})).isNotSameAs(first);
    assertThat(cache.of(last.found)).isSameAs(last);
  }
}
