/* SPDX-License-Identifier: MIT */
/*
 * A serial queue whose own task is scheduled in a class. src/kit/serial.c has only a pointer to the
 * function that publishes, so that a program without classes does not link this file.
 */
#include <nap/serial.h>

#include <errno.h>

#include <nap/class.h>

#include "kit/class_take.h"
#include "kit/class.h"

int nap_serial_set_class(struct nap_serial *serial, uint32_t which)
{
	if (!serial || !serial->pool || which >= class_count(serial->pool))
		return -EINVAL;
	serial->of_class = &serial->pool->config.classes->of[which];
	serial->publish = nap__class_publish;
	return 0;
}
