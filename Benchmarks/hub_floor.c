/* Inserts the rows of the hub's store by a prepared statement, as durably as the hub does: the floor of Benchmarks/hub.py.
   hub_floor FILE COUNT BATCH prints {"rows_per_second":...,"commit_ms":[...]}, the time of each commit.
   FILE is a store that `harald hub` made, so that tables, indexes and the page size are the same. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static sqlite3 *db;

static void check(int code) {
    if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW) {
        fprintf(stderr, "hub_floor: %s\n", sqlite3_errmsg(db));
        exit(1);
    }
}

static void run(const char *sql) { check(sqlite3_exec(db, sql, NULL, NULL, NULL)); }

int main(int argc, char **argv) {
    if (argc != 4) return 64;
    long count = atol(argv[2]), batch = atol(argv[3]);
    check(sqlite3_open(argv[1], &db));
    run("PRAGMA journal_mode = WAL");
    run("PRAGMA synchronous = FULL");
    run("PRAGMA secure_delete = ON");
    run("INSERT OR IGNORE INTO person(id, name, born, guideline, setting, created) VALUES (1, 'Anna', '1961-04-30', 'esc', 'home', 0)");
    run("INSERT OR IGNORE INTO device(id, serial) VALUES (1000000, 'FLOOR')");
    run("INSERT OR IGNORE INTO gateway(id, name, last_contact) VALUES (1000000, 'floor', 0)");
    sqlite3_stmt *insert;
    check(sqlite3_prepare_v2(
        db,
        "INSERT INTO reading(key, person_id, device_id, gateway_id, kind, user_index, characteristic, taken, arrived, "
        "device_time, clock_offset, sequence, raw, fields, v1, v2, v3, unit, simulated) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        -1, &insert, NULL));
    double *commits = malloc(sizeof(double) * (size_t)(count / batch + 1));
    long made = 0, transactions = 0;
    double begin = now();
    while (made < count) {
        double start = now();
        run("BEGIN IMMEDIATE");
        for (long i = 0; i < batch && made < count; i++, made++) {
            unsigned char key[16], raw[18];
            unsigned long long state = (unsigned long long)made * 0x9E3779B97F4A7C15ull + 1;
            /* A digest has no order. */
            for (int k = 0; k < 16; k++) {
                state ^= state << 13, state ^= state >> 7, state ^= state << 17;
                key[k] = (unsigned char)(state >> 24);
            }
            memset(raw, 7, sizeof raw);
            sqlite3_bind_blob(insert, 1, key, 16, SQLITE_TRANSIENT);
            sqlite3_bind_int64(insert, 2, 1);
            sqlite3_bind_int64(insert, 3, 1000000);
            sqlite3_bind_int64(insert, 4, 1000000);
            sqlite3_bind_int(insert, 5, 1);
            sqlite3_bind_int(insert, 6, 1);
            sqlite3_bind_text(insert, 7, "2A35", -1, SQLITE_STATIC);
            sqlite3_bind_int64(insert, 8, 1700000000 + made);
            sqlite3_bind_int64(insert, 9, 1790000000);
            sqlite3_bind_text(insert, 10, "2026-11-21T08:00:00", -1, SQLITE_STATIC);
            sqlite3_bind_double(insert, 11, 0);
            sqlite3_bind_null(insert, 12);
            sqlite3_bind_blob(insert, 13, raw, sizeof raw, SQLITE_TRANSIENT);
            sqlite3_bind_null(insert, 14);
            sqlite3_bind_double(insert, 15, 142);
            sqlite3_bind_double(insert, 16, 88);
            sqlite3_bind_double(insert, 17, 72);
            sqlite3_bind_null(insert, 18);
            sqlite3_bind_int(insert, 19, 0);
            check(sqlite3_step(insert));
            check(sqlite3_reset(insert));
        }
        run("COMMIT");
        commits[transactions++] = (now() - start) * 1000;
    }
    double seconds = now() - begin;
    printf("{\"rows_per_second\":%.1f,\"commit_ms\":[", (double)count / seconds);
    for (long i = 0; i < transactions; i++) printf(i ? ",%.4f" : "%.4f", commits[i]);
    printf("]}\n");
    sqlite3_finalize(insert);
    sqlite3_close(db);
    free(commits);
    return 0;
}
