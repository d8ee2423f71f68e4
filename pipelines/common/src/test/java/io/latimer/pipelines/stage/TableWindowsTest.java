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
}
