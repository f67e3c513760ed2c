// A stub of Apple's Darwin module: the declarations that the package uses, with Apple's names and types (xnu, Libc,
// libpthread headers). C names differ from glibc's, so that both can be loaded at once.
#pragma once
#include <stdbool.h>
#define SN(x) __attribute__((swift_name(x)))
#define NN _Nonnull
#pragma clang diagnostic ignored "-Wnullability-completeness"

typedef unsigned short mode_t SN("mode_t");
typedef int pid_t; typedef unsigned int uid_t; typedef int dev_t; typedef unsigned long long ino_t; typedef long long off_t;
typedef __SIZE_TYPE__ size_t;
// Up to the SDK of macOS 14 `unsigned long`, which Swift imports as UInt; since that of 15.x `size_t`, an Int.
#ifdef OLD_SDK
typedef unsigned long __darwin_size_t;
#else
typedef size_t __darwin_size_t;
#endif
typedef long __darwin_time_t; typedef int __darwin_suseconds_t;
typedef long ssize_t;
typedef unsigned short nlink_t; typedef unsigned int gid_t; typedef unsigned int __uint32_t_;
typedef int sig_atomic_t;

struct darwin_timespec { __darwin_time_t tv_sec; long tv_nsec; } SN("timespec");
struct darwin_timeval { __darwin_time_t tv_sec; __darwin_suseconds_t tv_usec; } SN("timeval");

// sys/stat.h (__DARWIN_STRUCT_STAT64)
struct darwin_stat {
  dev_t st_dev; mode_t st_mode; nlink_t st_nlink; ino_t st_ino; uid_t st_uid; gid_t st_gid; dev_t st_rdev;
  struct darwin_timespec st_atimespec, st_mtimespec, st_ctimespec, st_birthtimespec;
  off_t st_size; long long st_blocks; int st_blksize; unsigned int st_flags; unsigned int st_gen; int st_lspare; long long st_qspare[2];
} SN("stat");
int d_stat(const char *, struct darwin_stat *) SN("stat(_:_:)");
int d_lstat(const char *, struct darwin_stat *) SN("lstat(_:_:)");
int d_fstat(int, struct darwin_stat *) SN("fstat(_:_:)");
int d_mkdir(const char *, mode_t) SN("mkdir(_:_:)");
int d_fchmod(int, mode_t) SN("fchmod(_:_:)");

// dirent.h
struct darwin_dirent { unsigned long long d_ino, d_seekoff; unsigned short d_reclen, d_namlen; unsigned char d_type; char d_name[1024]; } SN("dirent");
typedef struct darwin_DIR { int __dd_fd; long __dd_loc; } DIR SN("DIR");
DIR *d_opendir(const char *) SN("opendir(_:)");
int d_closedir(DIR *) SN("closedir(_:)");
struct darwin_dirent *d_readdir(DIR *) SN("readdir(_:)");

// unistd.h, fcntl.h, stdio.h, stdlib.h, sys/file.h
#define O_RDONLY 0x0000
#define O_WRONLY 0x0001
#define O_RDWR 0x0002
#define O_NONBLOCK 0x00000004
#define O_NOFOLLOW 0x00000100
#define O_CREAT 0x00000200
#define O_TRUNC 0x00000400
#define O_EXCL 0x00000800
#define O_NOCTTY 0x00020000
#define O_DIRECTORY 0x00100000
#define O_CLOEXEC 0x01000000
#define F_SETFD 2
#define F_FULLFSYNC 51
#define FD_CLOEXEC 1
#define F_OK 0
#define LOCK_SH 0x01
#define LOCK_EX 0x02
#define LOCK_NB 0x04
#define LOCK_UN 0x08
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
struct darwin_flock { off_t l_start; off_t l_len; pid_t l_pid; short l_type; short l_whence; } SN("flock");
int d_flock(int, int) SN("flock(_:_:)");
int d_access(const char *, int) SN("access(_:_:)");
int d_close(int) SN("close(_:)");
ssize_t d_read(int, void *, size_t) SN("read(_:_:_:)");
ssize_t d_write(int, const void *, size_t) SN("write(_:_:_:)");
ssize_t d_pread(int, void *, size_t, off_t) SN("pread(_:_:_:_:)");
ssize_t d_pwrite(int, const void *, size_t, off_t) SN("pwrite(_:_:_:_:)");
int d_fsync(int) SN("fsync(_:)");
void d_sync(void) SN("sync()");
int d_unlink(const char *) SN("unlink(_:)");
int d_rmdir(const char *) SN("rmdir(_:)");
int d_link(const char *, const char *) SN("link(_:_:)");
int d_rename(const char *, const char *) SN("rename(_:_:)");
int d_isatty(int) SN("isatty(_:)");
int d_pipe(int [2]) SN("pipe(_:)");
pid_t d_getpid(void) SN("getpid()");
pid_t d_getppid(void) SN("getppid()");
pid_t d_getsid(pid_t) SN("getsid(_:)");
pid_t d_getpgid(pid_t) SN("getpgid(_:)");
pid_t d_getpgrp(void) SN("getpgrp()");
void *d_malloc(size_t) SN("malloc(_:)");
void *d_realloc(void *, size_t) SN("realloc(_:_:)");
void d_free(void *) SN("free(_:)");
char *d_strdup(const char *) SN("strdup(_:)");
char *d_strerror(int) SN("strerror(_:)");
char *d_getenv(const char *) SN("getenv(_:)");
int d_setenv(const char *, const char *, int) SN("setenv(_:_:_:)");
int d_atexit(void (* NN)(void)) SN("atexit(_:)");
void d_exit(int) SN("exit(_:)") __attribute__((noreturn));
int d_sysctlbyname(const char *, void *, size_t *, void *, size_t) SN("sysctlbyname(_:_:_:_:_:)");
typedef enum darwin_clockid { CLOCK_REALTIME_ = 0, CLOCK_MONOTONIC_ = 6, CLOCK_THREAD_CPUTIME_ID_ = 16 } clockid_t_ SN("clockid_t");
int d_clock_gettime(clockid_t_, struct darwin_timespec *) SN("clock_gettime(_:_:)");

// sys/mman.h, sys/mount.h, sys/resource.h, unistd.h
#define PROT_READ 0x01
#define PROT_WRITE 0x02
#define MAP_SHARED 0x0001
#define MAP_PRIVATE 0x0002
#define MAP_FIXED 0x0010
#define MAP_ANON 0x1000
void *d_mmap(void *, size_t, int, int, int, off_t) SN("mmap(_:_:_:_:_:_:)");
int d_munmap(void *, size_t) SN("munmap(_:_:)");
struct darwin_statfs { unsigned int f_bsize; int f_iosize; char f_fstypename[16]; char f_mntonname[1024]; } SN("statfs");
int d_fstatfs(int, struct darwin_statfs *) SN("fstatfs(_:_:)");
struct darwin_rlimit { unsigned long long rlim_cur, rlim_max; } SN("rlimit");
#define RLIMIT_FSIZE 1
int d_getrlimit(int, struct darwin_rlimit *) SN("getrlimit(_:_:)");
char *d_getcwd(char *, size_t) SN("getcwd(_:_:)");
int d_usleep(unsigned int) SN("usleep(_:)");
int d_pthread_atfork(void (* _Nullable)(void), void (* _Nullable)(void), void (* _Nullable)(void)) SN("pthread_atfork(_:_:_:)");

// errno.h
#define ENOMEM 12
#define ENFILE 23
#define EMFILE 24
#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define ENXIO 6
#define EBADF 9
#define EACCES 13
#define EEXIST 17
#define EISDIR 21
#define EINVAL 22
#define EFBIG 27
#define ENOSPC 28
#define EROFS 30
#define EAGAIN 35
#define EWOULDBLOCK EAGAIN
#define ENOTSUP 45
#define ENOLCK 77
#define EOPNOTSUPP 102
#define ELOOP 62
#define EDQUOT 69
#define ESTALE 70
#define ENOSYS 78
int *d_error(void) SN("__error()");

// sys/signal.h
typedef unsigned int sigset_t SN("sigset_t");
union darwin_sigval { int sival_int; void *sival_ptr; } SN("sigval");
typedef struct darwin___siginfo {
  int si_signo, si_errno, si_code; pid_t si_pid; uid_t si_uid; int si_status; void *si_addr; union darwin_sigval si_value; long si_band; unsigned long __pad[7];
} siginfo_t SN("siginfo_t");
union darwin___sigaction_u { void (*__sa_handler)(int); void (*__sa_sigaction)(int, struct darwin___siginfo *, void *); } SN("__sigaction_u");
struct darwin_sigaction { union darwin___sigaction_u __sigaction_u; sigset_t sa_mask; int sa_flags; } SN("sigaction");
#define SA_ONSTACK 0x0001
#define SA_RESTART 0x0002
#define SA_SIGINFO 0x0040
#define SIG_UNBLOCK 2
#define SS_ONSTACK 0x0001
#define SS_DISABLE 0x0004
typedef void (*sig_t)(int);
struct __darwin_sigaltstack { void *ss_sp; __darwin_size_t ss_size; int ss_flags; };
typedef struct __darwin_sigaltstack stack_t;
int d_sigaction(int, const struct darwin_sigaction *, struct darwin_sigaction *) SN("sigaction(_:_:_:)");
int d_sigaltstack(const stack_t *, stack_t *) SN("sigaltstack(_:_:)");
int d_sigemptyset(sigset_t *) SN("sigemptyset(_:)");
int d_sigaddset(sigset_t *, int) SN("sigaddset(_:_:)");
int d_raise(int) SN("raise(_:)");
int d_kill(pid_t, int) SN("kill(_:_:)");
void (* _Nullable d_signal(int, void (* _Nullable)(int)))(int) SN("signal(_:_:)");
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGFPE 8
#define SIGKILL 9
#define SIGBUS 10
#define SIGSEGV 11
#define SIGSYS 12
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
#define SIGSTOP 17
#define SIGTSTP 18
#define SIGCONT 19
#define SIGXCPU 24
#define SIGXFSZ 25
#define SIGVTALRM 26
#define SIGPROF 27
#define SIGWINCH 28
#define SIGUSR1 30
#define SIGUSR2 31

// pthread.h, os/lock.h (assume_nonnull)
struct _opaque_pthread_t { long __sig; void *__cleanup_stack; char __opaque[8176]; };
typedef struct _opaque_pthread_t *__darwin_pthread_t;
typedef __darwin_pthread_t pthread_t SN("pthread_t");
pthread_t NN d_pthread_self(void) SN("pthread_self()");
int d_pthread_sigmask(int, const sigset_t * _Nullable, sigset_t * _Nullable) SN("pthread_sigmask(_:_:_:)");
typedef struct os_unfair_lock_s { unsigned int _os_unfair_lock_opaque; } os_unfair_lock, *os_unfair_lock_t;
#define FROM_ASYNC __attribute__((swift_attr("@_unavailableFromAsync")))
void os_unfair_lock_lock(os_unfair_lock_t NN lock) FROM_ASYNC;
bool os_unfair_lock_trylock(os_unfair_lock_t NN lock) FROM_ASYNC;
void os_unfair_lock_unlock(os_unfair_lock_t NN lock) FROM_ASYNC;

// termios.h, sys/ioctl.h, poll.h
typedef unsigned long tcflag_t; typedef unsigned char cc_t; typedef unsigned long speed_t;
struct darwin_termios { tcflag_t c_iflag, c_oflag, c_cflag, c_lflag; cc_t c_cc[20]; speed_t c_ispeed, c_ospeed; } SN("termios");
struct darwin_winsize { unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel; } SN("winsize");
#define ECHO 0x00000008
#define ICANON 0x00000100
#define IEXTEN 0x00000400
#define NOFLSH 0x80000000
#define IXON 0x00000200
#define ICRNL 0x00000100
#define TCSANOW 0
#define TCSAFLUSH 2
#define POLLIN 0x0001
#define POLLOUT 0x0004
int d_tcgetattr(int, struct darwin_termios *) SN("tcgetattr(_:_:)");
int d_tcsetattr(int, int, const struct darwin_termios *) SN("tcsetattr(_:_:_:)");
struct darwin_pollfd { int fd; short events, revents; } SN("pollfd");
int d_poll(struct darwin_pollfd *, unsigned int, int) SN("poll(_:_:_:)");

// spawn.h (unavailable on tvOS and watchOS), sys/wait.h
typedef void *posix_spawn_file_actions_t;
typedef void *posix_spawnattr_t;
int d_init(posix_spawn_file_actions_t *) SN("posix_spawn_file_actions_init(_:)");
int d_destroy(posix_spawn_file_actions_t *) SN("posix_spawn_file_actions_destroy(_:)");
int d_adddup2(posix_spawn_file_actions_t *, int, int) SN("posix_spawn_file_actions_adddup2(_:_:_:)");
int d_addopen(posix_spawn_file_actions_t *, int, const char *, int, mode_t) SN("posix_spawn_file_actions_addopen(_:_:_:_:_:)");
int d_addclose(posix_spawn_file_actions_t *, int) SN("posix_spawn_file_actions_addclose(_:_:)");
int d_spawnp(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const _Nullable[], char *const _Nullable[]) SN("posix_spawnp(_:_:_:_:_:_:)");
pid_t d_waitpid(pid_t, int *, int) SN("waitpid(_:_:_:)");

// Only the tests and their programs.
void d_abort(void) SN("abort()") __attribute__((noreturn));
void d__exit(int) SN("_exit(_:)") __attribute__((noreturn));
unsigned int d_sleep(unsigned int) SN("sleep(_:)");
int d_spawn(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const _Nullable[], char *const _Nullable[]) SN("posix_spawn(_:_:_:_:_:_:)");
int d_attr_init(posix_spawnattr_t *) SN("posix_spawnattr_init(_:)");
int d_attr_destroy(posix_spawnattr_t *) SN("posix_spawnattr_destroy(_:)");
int d_attr_setflags(posix_spawnattr_t *, short) SN("posix_spawnattr_setflags(_:_:)");
