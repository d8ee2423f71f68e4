package io.latimer.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckoutTest {
  @TempDir Path root;

  private void git(String... arguments) throws Exception {
    String[] command = new String[arguments.length + 5];
    System.arraycopy(
        new String[] {"git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org"},
        0,
        command,
        0,
        5);
    System.arraycopy(arguments, 0, command, 5, arguments.length);
    Shell shell = Shell.run(root, command);
    assertThat(shell.status()).as(shell.output()).isZero();
  }

  @Test
  void acceptsACommitAndNothingElse() throws Exception {
    Files.writeString(root.resolve("a"), "1");
    Files.writeString(root.resolve(".gitignore"), "target/\n");
    git("init", "-q");
    git("add", ".");
    git("commit", "-q", "-m", "One");
    Files.createDirectory(root.resolve("target"));
    Files.writeString(root.resolve("target/built"), "x");
    assertThatCode(() -> Checkout.requireClean(root)).doesNotThrowAnyException();

    Files.writeString(root.resolve("a"), "2");
    Files.createDirectory(root.resolve("docs"));
    Files.writeString(root.resolve("docs/draft.md"), "x");
    assertThatThrownBy(() -> Checkout.requireClean(root))
        .isInstanceOf(ReleaseException.class)
        .hasMessageContaining("has changes that are in no commit")
        .hasMessageContaining("\n   M a")
        .hasMessageContaining("\n  ?? docs/draft.md");
  }

  @Test
  void refusesAFolderThatIsNoCheckout() {
    assertThatThrownBy(() -> Checkout.requireClean(root))
        .isInstanceOf(ReleaseException.class)
        .hasMessageContaining("is not a checkout that git can read");
  }
}
