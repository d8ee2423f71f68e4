package io.latimer.release;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** The checkout that a release is made from. */
final class Checkout {
  private Checkout() {}

  /**
   * Checks that the checkout is one commit and nothing else: whatever lies in {@code docs/} or
   * {@code examples/} would be released. Files that git ignores do not matter.
   *
   * @throws ReleaseException if it has changes, by name, or if git cannot tell
   */
  static void requireClean(Path root) throws IOException {
    List<String> changes = git(root, "status", "--porcelain", "--untracked-files=all");
    ReleaseException.throwIfAny(
        root
            + " has changes that are in no commit; commit or remove them, or make the release from a"
            + " clone (-Drelease.kernels=any tries with them)",
        changes);
  }

  private static List<String> git(Path root, String... arguments) throws IOException {
    ProcessBuilder builder = new ProcessBuilder("git", "-C", root.toString());
    builder.command().addAll(List.of(arguments));
    Process git;
    try {
      git = builder.redirectErrorStream(true).start();
    } catch (IOException e) {
      throw new ReleaseException(
          "there is no git, which says whether the checkout has changes: " + e.getMessage());
    }
    git.getOutputStream().close();
    String output = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (git.waitFor() != 0) {
        throw new ReleaseException(
            root + " is not a checkout that git can read: " + output.strip());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ReleaseException("interrupted while git looked at " + root);
    }
    return output.lines().toList();
  }
}
