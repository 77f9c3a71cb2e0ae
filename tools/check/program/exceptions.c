/* SPDX-License-Identifier: MIT */
/*
 * References to exceptions (std::exception_ptr), and to the messages of std::runtime_error,
 * std::logic_error and the classes derived from them, whose copies share one message. An exception
 * that no std::exception_ptr refers to belongs to one thread.
 *
 * An object of these classes is two pointers: to its virtual functions, and to the text of the
 * message. The count of the message's references stands before the text. A constructor and a
 * destructor write the pointer to the text; what() and a copy read it.
 */
#include "program/library.h"
#include "program/references.h"

struct error {
	const void *functions;
	const char *message;
};

#pragma GCC visibility push(default)

/* ---- std::exception_ptr */

typedef void release_fn(void **exception);

#define RELEASE "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv"

release_fn _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv;
void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void **exception)
{
	uintptr_t pc = PC;

	if (!OUTSIDE)
		references_shared(OF_EXCEPTIONS);
	reference_back(OF_EXCEPTIONS, *exception, pc);
	LIBRARY(release_fn, RELEASE)(exception);
}

void __wrap___cxa_end_catch(void);
void __wrap___cxa_end_catch(void)
{
	uintptr_t pc = PC;
	void *exception = NULL;

	if (references_are_shared(OF_EXCEPTIONS) && !OUTSIDE) {
		LIBRARY(void *(void **), "_ZSt17current_exceptionv")(&exception);
		reference_back(OF_EXCEPTIONS, exception, pc);
		if (exception)
			LIBRARY(release_fn, RELEASE)(&exception);
	}
	LIBRARY(void (void), "__cxa_end_catch")();
}

/* ---- messages */

#define READS_ERROR(at)		plain_range((uintptr_t)&(at)->message, sizeof(char *), false, pc)
#define WRITES_ERROR(at)	plain_range((uintptr_t)&(at)->message, sizeof(char *), true, pc)
#define MAKES_ERROR(at)		plain_range((uintptr_t)(at), sizeof(struct error), true, pc)

/* A std::string, of the library's new ABI. */
struct string {
	const char *text;
	size_t length;
};

typedef void of_error_fn(struct error *error);
typedef void of_errors_fn(struct error *error, struct error *other);
typedef struct error *assign_fn(struct error *error, struct error *other);
typedef void of_text_fn(struct error *error, const char *text);
typedef void of_string_fn(struct error *error, const struct string *text);

#define DEFINE(type, name, parameters, ...)	\
type name parameters;				\
type name parameters				\
{						\
	uintptr_t pc = PC;			\
						\
	__VA_ARGS__;				\
}

/* The constructors and destructors of a class are functions of two names each. */
#define CLASS(prefix, what)								\
DEFINE(const char *, what, (struct error *error),					\
	READS_ERROR(error); return LIBRARY(const char *(struct error *), #what)(error))	\
DEFINE(struct error *, prefix##aSERKS_, (struct error *error, struct error *other),	\
	assigns(error, other, pc); return LIBRARY(assign_fn, #prefix "aSERKS_")(error, other)) \
DEFINE(struct error *, prefix##aSEOS_, (struct error *error, struct error *other),	\
	moves(error, other, pc); return LIBRARY(assign_fn, #prefix "aSEOS_")(error, other)) \
BOTH(prefix, 1)										\
BOTH(prefix, 2)

#define BOTH(prefix, n)									\
DEFINE(void, prefix##C##n##ERKS_, (struct error *error, struct error *other),		\
	copies(error, other, pc); LIBRARY(of_errors_fn, #prefix "C" #n "ERKS_")(error, other)) \
DEFINE(void, prefix##C##n##EOS_, (struct error *error, struct error *other),		\
	MAKES_ERROR(error); WRITES_ERROR(other);					\
	LIBRARY(of_errors_fn, #prefix "C" #n "EOS_")(error, other))			\
DEFINE(void, prefix##C##n##EPKc, (struct error *error, const char *text),		\
	string_read(text, SIZE_MAX, pc); MAKES_ERROR(error);				\
	LIBRARY(of_text_fn, #prefix "C" #n "EPKc")(error, text))			\
DEFINE(void, prefix##C##n##ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE,	\
	(struct error *error, const struct string *text),				\
	copies_string(error, text, pc); LIBRARY(of_string_fn, #prefix "C" #n		\
	"ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE")(error, text))	\
DEFINE(void, prefix##D##n##Ev, (struct error *error),					\
	destroys(error, pc); LIBRARY(of_error_fn, #prefix "D" #n "Ev")(error))

static void copies(struct error *error, const struct error *other, uintptr_t pc)
{
	READS_ERROR(other);
	if (memory_in_arena((uintptr_t)other->message))
		references_shared(OF_MESSAGES);
	MAKES_ERROR(error);
}

static void copies_string(struct error *error, const struct string *text, uintptr_t pc)
{
	plain_range((uintptr_t)text, sizeof(*text), false, pc);
	bytes_read(text->text, text->length, pc);
	MAKES_ERROR(error);
}

static void destroys(struct error *error, uintptr_t pc)
{
	WRITES_ERROR(error);
	reference_back(OF_MESSAGES, error->message, pc);
}

static void assigns(struct error *error, const struct error *other, uintptr_t pc)
{
	READS_ERROR(other);
	if (error->message == other->message)
		return;
	if (memory_in_arena((uintptr_t)other->message))
		references_shared(OF_MESSAGES);
	destroys(error, pc);
}

/* A move swaps the messages: the destructor of @other gives back the old message of @error. */
static void moves(struct error *error, struct error *other, uintptr_t pc)
{
	WRITES_ERROR(error);
	WRITES_ERROR(other);
}

CLASS(_ZNSt13runtime_error, _ZNKSt13runtime_error4whatEv)
CLASS(_ZNSt11logic_error, _ZNKSt11logic_error4whatEv)
