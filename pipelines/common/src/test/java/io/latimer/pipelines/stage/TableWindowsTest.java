package io.latimer.pipelines.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import org.junit.jupiter.api.Test;

class TableWindowsTest {
  @Test
  void panesAreWhatSizeAndSlideHaveInCommon() {
    TableWindows windows = new TableWindows(12, 8, 0, false);
    assertThat(windows.pane()).isEqualTo(4);
    assertThat(windows.paneOf(7)).isEqualTo(4);
    assertThat(windows.paneOf(-1)).isEqualTo(-4);
    assertThat(windows.ends(4)).containsExactly(12L);
    assertThat(windows.ends(8)).containsExactly(12L, 20L);
    assertThat(windows.ends(-4)).containsExactly(4L);
    assertThat(windows.lastEnd(8)).isEqualTo(20);
  }

  @Test
  void windowsThatMakeNoSenseAreRefused() {
    assertThatThrownBy(() -> new TableWindows(0, 1, 0, false))
        .isInstanceOf(OperatorException.class);
    assertThatThrownBy(() -> new TableWindows(10, 11, 0, false))
        .hasMessageContaining("would leave gaps");
    assertThatThrownBy(() -> new TableWindows(86_400_000, 1, 0, false))
        .hasMessageContaining("86400000 panes, but the maximum is 10000");
    assertThatThrownBy(() -> new TableWindows(10, 10, Long.MAX_VALUE, false))
        .hasMessageContaining("too long");
  }

  @Test
  void noTimeOverflows() {
    long most = TableWindows.MAX_TIME;
    for (long size : new long[] {1, 3, 86_400_000, most - 1, most}) {
      for (long slide : new long[] {1, size / 7 + 1, size}) {
        if (size / slide > 1_000) {
          continue;
        }
        TableWindows windows = windows(size, slide, most);
        for (long time : new long[] {-most, -most + 1, -1, 0, 1, most - 1, most}) {
          assertThat(windows.has(time)).isTrue();
          long pane = windows.paneOf(time);
          assertThat(pane).isLessThanOrEqualTo(time);
          assertThat(pane + windows.pane()).isGreaterThan(time);
          assertThat(windows.ends(pane)).isNotEmpty().isSorted();
          for (long end : windows.ends(pane)) {
            assertThat(end - size).isLessThanOrEqualTo(pane);
            assertThat(end).isGreaterThan(pane);
            assertThat(windows.closing(end)).isEqualTo(Math.addExact(end - 1, most));
            assertThat(windows.expires(end)).isGreaterThan(windows.closing(end));
          }
        }
      }
    }
    TableWindows windows = new TableWindows(10, 10, 0, true);
    for (long time : new long[] {Long.MIN_VALUE, -most - 1, most + 1, Long.MAX_VALUE}) {
      assertThat(windows.has(time)).isFalse();
    }
  }

  private static TableWindows windows(long size, long slide, long most) {
    // slides that have a large part in common with the size
    long common = size % slide == 0 ? slide : size;
    return new TableWindows(size, common, most, true, most);
  }
}
