/** Access to local and remote index files, and a cache of the remote ones on this machine. */
package io.latimer.pipelines.index;
