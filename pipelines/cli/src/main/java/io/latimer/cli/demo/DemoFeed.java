package io.latimer.cli.demo;

import java.io.IOException;
import java.io.InputStream;

/** Opens the feed of a demo at its start; called repeatedly if it is looped. */
interface DemoFeed {
  InputStream open() throws IOException;
}
